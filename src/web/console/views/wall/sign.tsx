import { words } from '../../words';

/** One sentence about one part. A viewer need not know what is usual: the unusual is red, and what is not known is not green. */
export interface Sign {
  /** Stays the same while its figures change. */
  readonly key: string;
  readonly state: 'good' | 'bad' | 'asking' | 'plain';
  readonly text: string;
  /** Instructions for whoever takes care of it. */
  readonly help?: string;
}

export const good = (key: string, text: string): Sign => ({ key, state: 'good', text });
export const bad = (key: string, text: string, help?: string): Sign => ({ key, state: 'bad', text, help });

/** @param isBad red if it holds; the sentence says which */
export const sign = (key: string, isBad: boolean, text: string): Sign =>
  isBad ? bad(key, text) : good(key, text);

interface SignListProps {
  readonly label: string;
  readonly signs: readonly Sign[];
  readonly class?: string;
}

export function SignList({ label, signs, class: more = '' }: SignListProps) {
  return (
    <ul class={`signs ${more}`} aria-label={label}>
      {signs.map(({ key, state, text, help }) => (
        <li key={key} class={`sign ${state}`}>
          {text}
          {help && (
            <>
              {' '}
              <a href={help} target="_blank">
                {words.signs.whatToDo}
              </a>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
