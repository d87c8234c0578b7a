import { words } from '../../words';
import { Confirmed } from '../confirmed';
import type { Fault } from '../fault';
import { notify } from '../notices';
import type { RowChoice } from './row-choice';
import { type RowResult, useRowDeeds } from './row-deeds';

export interface BulkDeed<Row> {
  readonly title: string;
  /** The effect on all of them, in words for people. */
  readonly will: string;
  readonly isFor: (row: Row) => boolean;
  /** The label of a reason, which counts for every row. */
  readonly reason?: string;
  readonly perform: (row: Row, key: string, reason: string) => Promise<unknown>;
}

interface BulkProps<Row> {
  readonly choice: RowChoice<Row>;
  readonly keyOf: (row: Row) => string;
  readonly deeds: readonly BulkDeed<Row>[];
  readonly onDone: () => void;
}

/** Performs an action on all chosen rows, and shows the result of each. */
export function Bulk<Row>({ choice, keyOf, deeds, onDone }: BulkProps<Row>) {
  const { results, run, forget } = useRowDeeds<Row>();
  const isBusy = results.some(isUnderway);
  const { chosen, nameOf, choose } = choice;
  const start = async (deed: BulkDeed<Row>, rows: readonly Row[], reason: string) => {
    const done = await run(
      rows.map((row) => ({
        row,
        name: nameOf(row),
        id: `${deed.title} ${keyOf(row)}`,
        perform: (key) => deed.perform(row, key, reason),
      })),
    );
    choose(done, false);
    notify({ text: words.bulk.ended(deed.title, done.length, rows.length - done.length) });
    onDone();
  };
  return (
    <section class="bulk" aria-label={words.bulk.label}>
      {chosen.length > 0 && !isBusy && (
        <div class="row">
          <strong>{words.bulk.chosen(chosen.length)}</strong>
          {deeds.map((deed) => {
            const rows = chosen.filter(deed.isFor);
            return rows.length === 0 ? null : (
              <Confirmed
                key={deed.title}
                title={words.bulk.deed(deed.title, rows.length)}
                consequence={`${deed.will} ${words.bulk.will}`}
                reason={deed.reason}
                onConfirm={(_, reason) => {
                  void start(deed, rows, reason);
                  return Promise.resolve(undefined);
                }}
              />
            );
          })}
          <button onClick={() => choose(chosen, false)}>{words.bulk.chooseNone}</button>
        </div>
      )}
      {results.length > 0 && <Results results={results} onForget={isBusy ? undefined : forget} />}
    </section>
  );
}

const isUnderway = ({ state }: RowResult): boolean => state === 'waiting' || state === 'underway';

/** Without an answer, it is unknown whether it was refused. */
const failureText = ({ isAnswered, sentence }: Fault): string =>
  isAnswered ? words.bulk.refused(sentence) : sentence;

interface ResultsProps {
  readonly results: readonly RowResult[];
  /** Absent while some are still to come. */
  readonly onForget?: () => void;
}

function Results({ results, onForget }: ResultsProps) {
  const ended = results.filter((result) => !isUnderway(result)).length;
  const label = words.progress.ofAll(ended, results.length);
  return (
    <>
      <div class="row">
        <progress value={ended} max={results.length} aria-label={label} /> {label}
        {onForget && <button onClick={onForget}>{words.common.dismiss}</button>}
      </div>
      <ol class="results">
        {results.map(({ name, state, fault }) => (
          <li key={name} class={state}>
            <span>{name}</span>
            <strong>{fault ? failureText(fault) : words.bulk.states[state]}</strong>
          </li>
        ))}
      </ol>
    </>
  );
}
