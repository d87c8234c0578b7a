import type { ComponentChildren, RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { momentText } from './moment';
import type { Pages } from './pages';
import { ShowMore, useNextFocus } from './show-more';
import type { Visit } from './visit';
import { Waiting } from './waiting';
import { WhoGotWhat } from './who-got-what';

interface ListProps<Item> extends Visit {
  readonly title: string;
  readonly empty?: string;
  readonly sums: readonly string[];
  /** The control that chooses what the list shows, if there is a choice. */
  readonly choice?: ComponentChildren;
  readonly page: Pages<{ readonly items: readonly Item[]; readonly nextCursor: string | null }>;
  readonly children: (item: Item) => ComponentChildren;
}

export function List<Item>({ title, empty, sums, choice, page, children, words }: ListProps<Item>) {
  const items = page.value?.items ?? [];
  const list = useNextFocus<HTMLOListElement>(items.length);
  return (
    <section class="card list" aria-label={title}>
      {sums.map((sum) => (
        <p key={sum} class="total">
          {sum}
        </p>
      ))}
      {choice}
      {page.value && items.length === 0 && empty && <p>{empty}</p>}
      <ol ref={list.ref}>{items.map(children)}</ol>
      <Waiting words={words} answer={page} />
      <ShowMore words={words} more={page.more} onMore={list.remember} />
    </section>
  );
}

interface RowProps extends Visit {
  readonly activityId: string;
  readonly round: number;
  readonly name: string;
  readonly about: string;
  /** The whole text, where `about` is shorter. */
  readonly aboutWhole?: string;
  readonly money: string;
  readonly at: string;
  readonly said?: string;
  readonly button?: RefObject<HTMLButtonElement | null>;
  readonly children: ComponentChildren;
}

/** One packet, or all of a sender: with a tap it opens, and shows who got what. */
export function Row(props: RowProps) {
  const { activityId, round, name, about, aboutWhole, money, at, said, button, children, ...visit } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <button ref={button} class="row" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="pair">
          <span class="name">{name}</span>
          <strong>{money}</strong>
        </span>
        <span class="pair">
          <small title={aboutWhole}>{about}</small>
          <small>{momentText(at, visit.language)}</small>
        </span>
      </button>
      {(isOpen || said) && (
        <p class="said" role="status">
          {said}
        </p>
      )}
      {isOpen && (
        <div class="opened">
          {children}
          <WhoGotWhat {...visit} activityId={activityId} round={round} />
        </div>
      )}
    </li>
  );
}
