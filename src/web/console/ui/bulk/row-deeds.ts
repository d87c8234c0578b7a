import { useRef, useState } from 'preact/hooks';
import { ApiProblem, newKey } from '../../../../../libs/client';
import { type Fault, faultOf } from '../fault';

/** Few enough for other requests of this user and this page to be answered in the meantime. */
const AT_ONCE_MAX = 4;
const LIMITED_WAIT_SECONDS = 1;

export interface RowResult {
  readonly name: string;
  readonly state: 'waiting' | 'underway' | 'done' | 'failed';
  readonly fault?: Fault;
}

export interface RowDeed<Row> {
  readonly row: Row;
  readonly name: string;
  /** Identifies the deed, so that a retry after a lost answer sends the same request. */
  readonly id: string;
  readonly perform: (key: string) => Promise<unknown>;
}

export interface RowDeeds<Row> {
  readonly results: readonly RowResult[];
  /** @returns the rows whose deeds are done */
  readonly run: (deeds: readonly RowDeed<Row>[]) => Promise<Row[]>;
  readonly forget: () => void;
}

/**
 * Performs an action on many rows, with a separate request for each. A refused request does not affect the
 * others.
 */
export function useRowDeeds<Row>(): RowDeeds<Row> {
  const keys = useRef(new Map<string, string>());
  const [results, setResults] = useState<readonly RowResult[]>([]);

  const perform = async ({ id, perform: send }: RowDeed<Row>): Promise<Fault | undefined> => {
    const key = keys.current.get(id) ?? newKey();
    keys.current.set(id, key);
    try {
      await whenAllowed(() => send(key));
    } catch (error) {
      const fault = faultOf(error);
      if (fault.isAnswered) keys.current.delete(id);
      return fault;
    }
    keys.current.delete(id);
    return undefined;
  };

  const run = async (deeds: readonly RowDeed<Row>[]): Promise<Row[]> => {
    const done: Row[] = [];
    const say = (place: number, result: Omit<RowResult, 'name'>) =>
      setResults((before) => before.map((one, i) => (i === place ? { name: one.name, ...result } : one)));
    setResults(deeds.map(({ name }) => ({ name, state: 'waiting' })));
    await inTurns(deeds, async (deed, place) => {
      say(place, { state: 'underway' });
      const fault = await perform(deed);
      if (!fault) done.push(deed.row);
      say(place, fault ? { state: 'failed', fault } : { state: 'done' });
    });
    return done;
  };

  return { results, run, forget: () => setResults([]) };
}

async function inTurns<T>(items: readonly T[], work: (item: T, place: number) => Promise<void>) {
  const waiting = items.entries();
  const worker = async () => {
    for (const [place, item] of waiting) await work(item, place);
  };
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, worker));
}

/** A limit on requests passes. Any other refusal is the answer. */
async function whenAllowed(ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      if (!(error instanceof ApiProblem && error.status === 429)) throw error;
      const seconds = error.retryAfterSeconds ?? LIMITED_WAIT_SECONDS;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  }
}
