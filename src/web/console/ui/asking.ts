import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { newKey } from '../../../../libs/client';
import { type Fault, faultOf } from './fault';

export interface Asked<T> {
  /** The last value stays while another one is requested. */
  readonly value?: T;
  readonly fault?: Fault;
  readonly ask: () => void;
}

export interface AskOptions {
  /** Milliseconds after each answer, while the page is visible. */
  readonly everyMs?: number;
}

/** Asks again whenever a dependency changes. */
export function useAnswer<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  dependencies: readonly unknown[],
  { everyMs }: AskOptions = {},
): Asked<T> {
  const [state, setState] = useState<{ value?: T; fault?: Fault }>({});
  const [round, setRound] = useState(0);
  useEffect(() => setState({}), dependencies);
  useEffect(() => {
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const askLater = () => {
      if (everyMs !== undefined && !over.signal.aborted) timer = setTimeout(() => void askNow(), everyMs);
    };
    const askNow = async () => {
      if (document.visibilityState === 'hidden' && everyMs !== undefined) return askLater();
      try {
        const value = await ask(over.signal);
        if (!over.signal.aborted) setState({ value });
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
  }, [...dependencies, round, everyMs]);
  return { ...state, ask: useCallback(() => setRound((before) => before + 1), []) };
}

export interface Page<Row> {
  readonly items: readonly Row[];
  readonly nextCursor: string | null;
}

export interface Paged<Row> {
  readonly rows?: readonly Row[];
  readonly fault?: Fault;
  /** Present when there are more rows. */
  readonly more?: () => void;
  readonly ask: () => void;
}

export function usePages<Row>(
  ask: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>,
  dependencies: readonly unknown[],
): Paged<Row> {
  const first = useAnswer((signal) => ask(undefined, signal), dependencies);
  const [rest, setRest] = useState<{ first: unknown; pages: readonly Page<Row>[]; fault?: Fault }>();
  const pages = rest?.first === first.value ? (rest?.pages ?? []) : [];
  const last = pages.at(-1) ?? first.value;
  const more = async (cursor: string) => {
    try {
      const page = await ask(cursor, new AbortController().signal);
      setRest({ first: first.value, pages: [...pages, page] });
    } catch (error) {
      setRest({ first: first.value, pages, fault: faultOf(error) });
    }
  };
  const cursor = last?.nextCursor;
  return {
    rows: first.value && [first.value, ...pages].flatMap(({ items }) => items),
    fault: first.fault ?? rest?.fault,
    more: cursor ? () => void more(cursor) : undefined,
    ask: first.ask,
  };
}

export interface Deed {
  /** @param deed receives the key under which it may be repeated, and returns what it has done */
  readonly run: (deed: (key: string) => Promise<string | undefined>) => Promise<boolean>;
  readonly isBusy: boolean;
  readonly done?: string;
  readonly fault?: Fault;
}

/**
 * An action of a user. Doing it again while its answer is not known repeats the same request, so
 * that no deposit is made twice.
 */
export function useDeed(): Deed {
  const key = useRef(newKey());
  const [state, setState] = useState<{ isBusy: boolean; done?: string; fault?: Fault }>({ isBusy: false });
  const run: Deed['run'] = async (deed) => {
    setState({ isBusy: true });
    try {
      const done = await deed(key.current);
      key.current = newKey();
      setState({ isBusy: false, done });
      return true;
    } catch (error) {
      const fault = faultOf(error);
      if (fault.isAnswered) key.current = newKey();
      setState({ isBusy: false, fault });
      return false;
    }
  };
  return { ...state, run };
}
