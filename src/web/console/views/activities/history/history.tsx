import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import { type ApiClient, ApiProblem, type Schema } from '../../../../../../libs/client';
import { Link } from '../../../ui/address';
import { type AskedWith, useAnswer } from '../../../ui/asking';
import { type Curve, Plot } from '../../../ui/plot';
import { Unread } from '../../../ui/unread';
import { words } from '../../../words';
import { amountText } from '../../../words/language';
import { isOver } from '../live/live';
import { lineOf } from './curves';

type History = Schema<'HistoryDto'>;
type Answer = keyof History['total']['answers'];

const LIVE_MS = 15_000;
const ENDED_MS = 60_000;

interface HistoryProps {
  readonly api: ApiClient;
  readonly activity: Pick<Schema<'ActivityDto'>, 'id' | 'phase'>;
}

/** The history of an activity, minute by minute, next to the previous activity of the same sponsor. */
export function ActivityHistory({ api, activity }: HistoryProps) {
  const { id } = activity;
  const history = useAnswer((options) => readHistory(api, id, options), [api, id], {
    everyMs: isOver(activity) ? ENDED_MS : LIVE_MS,
  });
  const previousId = history.value?.previousActivityId ?? undefined;
  const previous = useAnswer(
    async (options) => (previousId === undefined ? undefined : readHistory(api, previousId, options)),
    [api, previousId],
  );
  const said = words.history;
  if (history.fault || history.valueAtMs === undefined) return <Unread asked={history} />;
  if (!history.value || history.value.points.length === 0) return <p class="empty">{said.none}</p>;
  return (
    <section class="history" aria-label={said.title}>
      <div class="panel">
        <h2>{said.perMinute}</h2>
        <HistoryPlot history={history.value} previous={previous.value} />
      </div>
      <Comparison history={history.value} previous={previous.value} />
    </section>
  );
}

/** Archived activities have none, and neither has an installation without it. */
async function readHistory(api: ApiClient, id: string, options: AskedWith): Promise<History | undefined> {
  try {
    return await api.readActivityHistory(id, options);
  } catch (error) {
    if (error instanceof ApiProblem && [404, 410].includes(error.status)) return undefined;
    throw error;
  }
}

interface ComparedProps {
  readonly history: History;
  readonly previous?: History;
}

function HistoryPlot({ history, previous }: ComparedProps) {
  const said = words.history;
  const curves: readonly Curve[] = [
    { label: said.allWins, colour: 'credited', isFilled: true },
    { label: words.progress.credited, colour: 'sent' },
    // Where they are as many as the wins, both are seen.
    { label: words.progress.taps, colour: 'pending', isDashed: true },
    ...(previous ? [{ label: said.previousTaps, colour: 'quiet', isThin: true }] : []),
  ];
  const lines = useMemo(() => {
    const own = lineOf(history, [({ wins }) => wins, ({ credited }) => credited, ({ taps }) => taps]);
    const former = previous && lineOf(previous, [({ taps }) => taps]);
    return (former ? [own, former] : [own]) as unknown as uPlot.AlignedData[];
  }, [history, previous]);
  const most = Math.max(...history.points.map(({ taps }) => (taps * 60) / history.stepSeconds));
  return (
    <Plot
      curves={curves}
      lines={lines}
      along={said.sinceOpening}
      placeText={(minutes) => said.minutes(minutes)}
      isCounted
      label={said.label(Math.round(most))}
      caption={said.caption}
    />
  );
}

/** The figures of both, money first, with a line for each answer that either has given. */
function Comparison({ history, previous }: ComparedProps) {
  const said = words.history;
  const { total } = history;
  const caption = previous ? said.compared : said.totals;
  const answers = (Object.keys(said.answers) as Answer[]).filter(
    (answer) => total.answers[answer] > 0 || (previous?.total.answers[answer] ?? 0) > 0,
  );
  const lines: readonly (readonly [string, (of: History) => string])[] = [
    [said.creditedAmount, ({ total, currency }) => amountText(`${total.creditedAmount} ${currency}`)],
    [words.progress.credited, ({ total }) => String(total.credited)],
    [said.allWins, ({ total }) => String(total.wins)],
    [words.progress.taps, ({ total }) => String(total.taps)],
    ...answers.map(
      (answer) => [said.answers[answer], (of: History) => String(of.total.answers[answer])] as const,
    ),
    [said.p50, ({ total }) => timeText(total.p50Ms)],
    [said.p99, ({ total }) => timeText(total.p99Ms)],
  ];
  return (
    <div class="panel">
      <h2>{said.totals}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
        <table>
          <caption>{caption}</caption>
          {previous && (
            <thead>
              <tr>
                <td />
                <th scope="col" class="number">
                  {said.thisOne}
                </th>
                <th scope="col" class="number">
                  <Link to={['activities', previous.activityId, 'history']}>
                    {said.previousOne(previous.activityId)}
                  </Link>
                </th>
              </tr>
            </thead>
          )}
          <tbody>
            {lines.map(([name, textOf]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="number">{textOf(history)}</td>
                {previous && <td class="number">{textOf(previous)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="about">{said.note}</p>
    </div>
  );
}

const timeText = (ms: number | null): string => (ms === null ? '–' : `${ms} ms`);
