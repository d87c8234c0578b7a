import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import { newKey, type Options } from '../../../../libs/client';
import { type Fault, faultOf } from './fault';

/** The options of a request that a page makes by itself. */
export type AskedWith = Options;

export interface Asked<T> {
  /** The last value stays while a new value is requested. */
  readonly value?: T;
  /** The instant at which it arrived, by `performance.now()`. */
  readonly valueAtMs?: number;
  readonly everyMs?: number;
  /** The last request failed. */
  readonly fault?: Fault;
  readonly ask: () => void;
}

/** A request that hangs for longer is given up. What is polled is asked for again. */
const ANSWER_WITHIN_MS = 30_000;
const POLL_WITHIN_MS = 10_000;

/** Whether there is a token to ask with. Views outlive the end of a sign-in, and ask anew after the next one. */
export const CanAsk = createContext(true);

export interface AskOptions {
  /** Milliseconds after each answer, while the page is visible. */
  readonly everyMs?: number;
}

/** Asks again whenever a dependency changes. */
export function useAnswer<T>(
  ask: (options: AskedWith) => Promise<T>,
  dependencies: readonly unknown[],
  { everyMs }: AskOptions = {},
): Asked<T> {
  const [state, setState] = useState<Pick<Asked<T>, 'value' | 'valueAtMs' | 'fault'>>({});
  const [round, setRound] = useState(0);
  const canAsk = useContext(CanAsk);
  useEffect(() => setState({}), dependencies);
  useEffect(() => {
    if (!canAsk) return undefined;
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const askLater = () => {
      if (everyMs !== undefined && !over.signal.aborted) timer = setTimeout(() => void askNow(), everyMs);
    };
    const askNow = async () => {
      if (document.visibilityState === 'hidden' && everyMs !== undefined) return askLater();
      const isPolled = everyMs !== undefined;
      const limit = AbortSignal.timeout(isPolled ? POLL_WITHIN_MS : ANSWER_WITHIN_MS);
      try {
        const value = await ask({ signal: AbortSignal.any([over.signal, limit]), patient: !isPolled });
        if (!over.signal.aborted) setState({ value, valueAtMs: performance.now() });
      } catch (error) {
        if (!over.signal.aborted) setState((before) => ({ ...before, fault: faultOf(error) }));
      }
      askLater();
    };
    void askNow();
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [...dependencies, round, everyMs, canAsk]);
  return { ...state, everyMs, ask: useCallback(() => setRound((before) => before + 1), []) };
}

export interface Page<Row> {
  readonly items: readonly Row[];
  readonly nextCursor: string | null;
}

export interface Paged<Row> {
  readonly rows?: readonly Row[];
  /** The instant at which the first of them arrived, by `performance.now()`. */
  readonly rowsAtMs?: number;
  /** It is asked for again without a person. */
  readonly isPolled?: boolean;
  readonly fault?: Fault;
  /** Present when there are more rows. */
  readonly more?: () => void;
  /** Reads any page, whatever is shown. Absent where the rows are all there are. */
  readonly readPage?: (cursor: string | undefined, options: AskedWith) => Promise<Page<Row>>;
  readonly ask: () => void;
}

export function usePages<Row>(
  ask: (cursor: string | undefined, options: AskedWith) => Promise<Page<Row>>,
  dependencies: readonly unknown[],
  asked: AskOptions = {},
): Paged<Row> {
  type First = Page<Row> & { readonly atMs: number };
  /** The first page while others follow it: a newer one would take them away from their reader. */
  const held = useRef<First>(undefined);
  useEffect(() => void (held.current = undefined), dependencies);
  const askFirst = async (options: AskedWith): Promise<First> =>
    held.current ?? { ...(await ask(undefined, options)), atMs: performance.now() };
  const first = useAnswer(askFirst, dependencies, asked);
  const [rest, setRest] = useState<{ first: unknown; pages: readonly Page<Row>[]; fault?: Fault }>();
  const pages = rest?.first === first.value ? (rest?.pages ?? []) : [];
  const last = pages.at(-1) ?? first.value;
  const more = async (cursor: string) => {
    held.current = first.value;
    try {
      const page = await ask(cursor, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      setRest({ first: first.value, pages: [...pages, page] });
    } catch (error) {
      setRest({ first: first.value, pages, fault: faultOf(error) });
    }
  };
  const cursor = last?.nextCursor;
  return {
    rows: first.value && [first.value, ...pages].flatMap(({ items }) => items),
    rowsAtMs: first.value?.atMs,
    isPolled: asked.everyMs !== undefined,
    fault: first.fault ?? rest?.fault,
    more: cursor ? () => void more(cursor) : undefined,
    readPage: ask,
    ask: useCallback(() => {
      held.current = undefined;
      first.ask();
    }, [first.ask]),
  };
}

/** A list whose rows all come in one answer. */
export const listed = <T, Row>(asked: Asked<T>, rowsIn: (value: T) => readonly Row[]): Paged<Row> => ({
  rows: asked.value && rowsIn(asked.value),
  rowsAtMs: asked.valueAtMs,
  isPolled: asked.everyMs !== undefined,
  fault: asked.fault,
  ask: asked.ask,
});

/** Asks for the list again whenever the figures beside it change. */
export function useCurrent(list: Pick<Paged<unknown>, 'ask'>, figures: readonly unknown[]): void {
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) list.ask();
    isFirst.current = false;
  }, figures);
}

export interface Deed {
  /** @param deed receives the key under which it may be repeated, and returns the result */
  readonly run: (deed: (key: string) => Promise<string | undefined>) => Promise<boolean>;
  readonly isBusy: boolean;
  readonly done?: string;
  readonly fault?: Fault;
}

/** Keeps the key of a request whose answer is not known for longer than the page lasts. */
export interface KeyKeeper {
  readonly kept?: string;
  readonly onSent: (key: string) => void;
  readonly onAnswered: () => void;
}

/**
 * An action of a user. Doing it again while its answer is not known repeats the same request, so
 * that no deposit is made twice.
 */
export function useDeed(keeper?: KeyKeeper): Deed {
  const key = useRef(keeper?.kept ?? newKey());
  const [state, setState] = useState<{ isBusy: boolean; done?: string; fault?: Fault }>({ isBusy: false });
  const run: Deed['run'] = async (deed) => {
    setState({ isBusy: true });
    const answered = () => {
      key.current = newKey();
      keeper?.onAnswered();
    };
    try {
      keeper?.onSent(key.current);
      const done = await deed(key.current);
      answered();
      setState({ isBusy: false, done });
      return true;
    } catch (error) {
      const fault = faultOf(error);
      if (fault.isAnswered) answered();
      setState({ isBusy: false, fault });
      return false;
    }
  };
  return { ...state, run };
}
