import { useState } from 'preact/hooks';
import type { ApiClient } from '../../../../../libs/client';
import { go, hrefOf } from '../../ui/address';
import { useAnswer, useDeed } from '../../ui/asking';
import { When } from '../../ui/facts';
import { Choice, Field, Form, Group } from '../../ui/form';
import { MomentField, MomentInput } from '../../ui/moment-field';
import { Complaint } from '../../ui/outcome';
import { NotThere } from '../../ui/not-there';
import { Unread } from '../../ui/unread';
import { words } from '../../words';
import { momentIn } from '../../words/language';
import { nameOfZone } from '../../words/zone';
import { LookFields, MoneyFields, WinFields } from '../activities/creation/creation-fields';
import { currencyAmong, useCurrencies } from '../currencies/currencies-at-hand';
import type { ViewProps } from '../view-props';
import { type RuleDraft, ruleOf, WEEKDAYS, weekdayNameOf } from './rule';
import { emptySeries, type SeriesDraft, seriesDraftOf, seriesOf, timingOf } from './series-draft';

export function NewSeriesView({ api }: ViewProps) {
  const [draft] = useState(emptySeries);
  return (
    <>
      <h1>{words.series.new}</h1>
      <SeriesForm api={api} begun={draft} />
    </>
  );
}

/** The terms of what is not created yet. */
export function ChangeSeriesView({ api, id }: ViewProps & { readonly id: string }) {
  const series = useAnswer((options) => api.readSeries(id, options), [api, id]);
  if (series.fault?.isMissing) return <NotThere sentence={series.fault.sentence} part="series" />;
  return (
    <>
      <h1>{series.value ? words.series.changeOf(series.value.name) : words.series.title(id)}</h1>
      <Unread asked={series} />
      {series.value && <SeriesForm api={api} begun={seriesDraftOf(series.value)} />}
    </>
  );
}

function SeriesForm({ api, begun }: { readonly api: ApiClient; readonly begun: SeriesDraft }) {
  const [draft, setDraft] = useState(begun);
  const deed = useDeed();
  const currencies = useCurrencies(api).value;
  const { rain, before } = draft;
  const isOfCodes = !rain.isRehearsal && currencyAmong(currencies, rain.currency)?.kind === 'codes';
  const change = (part: Partial<SeriesDraft>) => setDraft((now) => ({ ...now, ...part }));
  const save = () =>
    deed.run(async (key) => {
      const body = seriesOf(draft, isOfCodes);
      const { id } = before ? await api.changeSeries(before.id, body) : await api.createSeries(body, { key });
      go(hrefOf(['series', id]));
      return undefined;
    });
  const fields = {
    ...{ api, currencies, isOfCodes, draft: rain },
    onChange: (part: Partial<typeof rain>) => setDraft((now) => ({ ...now, rain: { ...now.rain, ...part } })),
  };
  const said = words.series;
  return (
    <div class="columns beside">
      <Form
        title={words.newActivity.what}
        submit={before ? said.change : said.create}
        deed={deed}
        onSubmit={() => void save()}
      >
        <MoneyFields {...fields} />
        <TimingFields draft={draft} onChange={change} />
        <WinFields {...fields} />
        <LookFields {...fields} />
      </Form>
      <Preview api={api} draft={draft} />
    </div>
  );
}

interface TimingProps {
  readonly draft: SeriesDraft;
  readonly onChange: (part: Partial<SeriesDraft>) => void;
}

/** When it comes again, for how long, and until when. */
function TimingFields({ draft, onChange }: TimingProps) {
  const { labels, series: said } = words;
  const { none, even } = words.pace.kinds;
  const releases = { none, even, ...(draft.before?.pace && { kept: said.keptPace }) };
  return (
    <Group title={words.common.when}>
      <RuleFields draft={draft.rule} onDraft={(rule) => onChange({ rule })} />
      <div class="field moment">
        <label for="series-start">{labels.start}</label>
        <MomentInput
          id="series-start"
          required
          describedBy="series-start-hint"
          value={draft.start}
          onValue={(start) => onChange({ start })}
        />
        <small id="series-start-hint">{said.startHint(draft.timeZone)}</small>
      </div>
      <Choice
        label={labels.timeZone}
        value={draft.timeZone}
        options={Object.fromEntries(zonesWith(draft.timeZone).map((zone) => [zone, zone]))}
        onValue={(timeZone) => onChange({ timeZone })}
      />
      <Field
        label={said.openFor}
        unit={said.minutes(Number(draft.minutes))}
        inputMode="numeric"
        value={draft.minutes}
        onValue={(minutes) => onChange({ minutes })}
      />
      <Field
        label={labels.createAheadHours}
        hint={said.aheadHint}
        unit={said.hours(Number(draft.aheadHours))}
        inputMode="numeric"
        value={draft.aheadHours}
        onValue={(aheadHours) => onChange({ aheadHours })}
      />
      <Choice
        label={said.ends}
        value={draft.ends}
        options={said.endings}
        onValue={(ends) => onChange({ ends: ends as SeriesDraft['ends'] })}
      />
      {draft.ends === 'count' ? (
        <Field
          label={labels.count}
          hint={draft.before && said.countHint}
          inputMode="numeric"
          value={draft.count}
          onValue={(count) => onChange({ count })}
        />
      ) : (
        <MomentField label={labels.until} value={draft.until} onValue={(until) => onChange({ until })} />
      )}
      <Choice
        label={labels.pace}
        value={draft.release}
        options={releases}
        onValue={(release) => onChange({ release: release as SeriesDraft['release'] })}
      />
    </Group>
  );
}

/** Browsers do not list UTC. */
const zonesWith = (zone: string): string[] =>
  [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', zone])].sort();

interface RuleProps {
  readonly draft: RuleDraft;
  readonly onDraft: (draft: RuleDraft) => void;
}

function RuleFields({ draft, onDraft }: RuleProps) {
  const said = words.series;
  const { kind, days } = draft;
  const choose = (chosen: RuleDraft['kind']) =>
    onDraft({ ...draft, kind: chosen, own: chosen === 'own' ? ruleOf(draft) : draft.own });
  const lastDay = { '-1': said.lastDay };
  const daysOfMonth = Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`d${i + 1}`, String(i + 1)]));
  return (
    <>
      <Choice
        label={said.repeats}
        value={kind}
        options={said.kinds}
        onValue={(chosen) => choose(chosen as RuleDraft['kind'])}
      />
      {kind === 'weekly' && (
        <fieldset class="days">
          <legend>{said.weekdays}</legend>
          {WEEKDAYS.map((day) => (
            <label key={day} class="check">
              <input
                type="checkbox"
                checked={days.includes(day)}
                onChange={({ currentTarget: { checked } }) =>
                  onDraft({ ...draft, days: checked ? [...days, day] : days.filter((one) => one !== day) })
                }
              />
              {weekdayNameOf(day)}
            </label>
          ))}
        </fieldset>
      )}
      {kind === 'monthly' && (
        <Choice
          label={said.dayOfMonth}
          value={draft.dayOfMonth === '-1' ? '-1' : `d${draft.dayOfMonth}`}
          options={{ ...daysOfMonth, ...lastDay }}
          onValue={(day) => onDraft({ ...draft, dayOfMonth: day.replace('d', '') })}
        />
      )}
      {kind === 'own' && (
        <Field
          label={words.labels.rrule}
          hint={said.ruleHint}
          value={draft.own}
          onValue={(own) => onDraft({ ...draft, own })}
        />
      )}
    </>
  );
}

/** The next occurrences, by the clocks of the series, and by those of a reader elsewhere. */
function Preview({ api, draft }: { readonly api: ApiClient; readonly draft: SeriesDraft }) {
  const timing = timingOf(draft);
  const { value, fault } = useAnswer(
    (options) => api.previewSeries(timing, options),
    [api, JSON.stringify(timing)],
  );
  const said = words.series;
  const isElsewhere = timing.timeZone !== nameOfZone();
  return (
    <section class="preview" aria-label={said.preview} aria-live="polite">
      <h2>{said.preview}</h2>
      <Complaint fault={fault} />
      {value && (
        <ol>
          {value.occurrences.map(({ opensAt }) => (
            <li key={opensAt}>
              {momentIn(timing.timeZone, opensAt)}
              {isElsewhere && (
                <small>
                  {said.here} <When at={opensAt} />
                </small>
              )}
            </li>
          ))}
        </ol>
      )}
      {value?.hasMore && <p>{said.andMore}</p>}
    </section>
  );
}
