import { useEffect, useRef } from 'preact/hooks';
import type { Words } from './words';

/** Moves the focus to the first item of those that were added, once they are there. */
export function useNextFocus<List extends HTMLElement>(count: number) {
  const ref = useRef<List>(null);
  const next = useRef<number | undefined>(undefined);
  useEffect(() => {
    const item = next.current === undefined ? undefined : ref.current?.children[next.current];
    if (!item) return;
    next.current = undefined;
    (item.querySelector('button') ?? (item as HTMLElement)).focus();
  }, [count]);
  return { ref, remember: () => (next.current = count) };
}

interface MoreProps {
  readonly words: Words;
  readonly more: (() => void) | undefined;
  readonly onMore: () => void;
}

export function ShowMore({ words, more, onMore }: MoreProps) {
  if (!more) return null;
  return (
    <button
      class="quiet more"
      onClick={() => {
        onMore();
        more();
      }}
    >
      {words.more}
    </button>
  );
}
