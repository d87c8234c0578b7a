import { useState } from 'preact/hooks';
import type { Session } from '../kit/session';
import { type Answer, useAnswer } from './answer';

interface Page {
  readonly items: readonly unknown[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

/** How many more of a list are shown at a time, and the most that one request brings. */
const MORE = 20;
const LIMIT_MAX = 100;

export interface Pages<P extends Page> extends Answer<P> {
  /** Shows more. Undefined at the end of the list. */
  readonly more?: () => void;
}

/** The beginning of a list, as far as the user wants to see it. All of it is read again when something changes. */
export function usePages<P extends Page>(
  read: (query: PageQuery) => Promise<P>,
  session: Session,
  dependencies: unknown[],
): Pages<P> {
  const [wanted, setWanted] = useState(MORE);
  const answer = useAnswer(() => readUpTo(wanted, read), session, [...dependencies, wanted]);
  const isLast = (answer.value?.nextCursor ?? null) === null;
  return { ...answer, more: isLast ? undefined : () => setWanted(answer.value!.items.length + MORE) };
}

/** Returns the first page with the items of the next ones. */
async function readUpTo<P extends Page>(wanted: number, read: (query: PageQuery) => Promise<P>): Promise<P> {
  let all = await read({ limit: Math.min(wanted, LIMIT_MAX) });
  while (all.nextCursor !== null && all.items.length < wanted) {
    const limit = Math.min(wanted - all.items.length, LIMIT_MAX);
    const { items, nextCursor } = await read({ limit, cursor: all.nextCursor });
    all = { ...all, items: [...all.items, ...items], nextCursor };
  }
  return all;
}
