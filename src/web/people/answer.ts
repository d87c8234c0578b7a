import { useEffect, useState } from 'preact/hooks';
import { ApiProblem, type Hurdle, patiently } from '../../../libs/client';
import type { Session } from '../kit/session';

export interface Answer<T> {
  readonly value?: T;
  readonly hurdle?: Hurdle;
  readonly error?: unknown;
  readonly ask: () => void;
}

/** Asks until there is an answer, again when a dependency changes, and when the page is seen again. */
export function useAnswer<T>(ask: () => Promise<T>, session: Session, dependencies: unknown[]): Answer<T> {
  const [state, setState] = useState<Omit<Answer<T>, 'ask'>>({});
  const [round, setRound] = useState(0);
  const askAgain = () => setRound((before) => before + 1);
  useEffect(() => {
    const over = new AbortController();
    const { signal } = over;
    const onHurdle = (hurdle: Hurdle) => setState((before) => ({ ...before, hurdle }));
    patiently(ask, { signal, onHurdle }).then(
      (value) => signal.aborted || setState({ value }),
      (error: unknown) => {
        if (signal.aborted) return;
        if (isSignedOut(error)) session.requestToken();
        else setState((before) => ({ value: before.value, error }));
      },
    );
    const look = () => document.visibilityState === 'visible' && askAgain();
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      over.abort();
    };
  }, [...dependencies, round]);
  return { ...state, ask: askAgain };
}

export const isSignedOut = (error: unknown): boolean => error instanceof ApiProblem && error.status === 401;
