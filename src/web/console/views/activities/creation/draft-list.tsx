import { useEffect, useState } from 'preact/hooks';
import { Link } from '../../../ui/address';
import { Confirmed } from '../../../ui/confirmed';
import { When } from '../../../ui/facts';
import { words } from '../../../words';
import type { KeptDrafts } from './kept-drafts';

interface DraftListProps {
  readonly drafts: KeptDrafts;
  /** The draft that is already open. */
  readonly except?: string;
}

/** Forms of new activities that were begun in this browser. Nothing if there are none. */
export function DraftList({ drafts, except }: DraftListProps) {
  const [list, setList] = useState(() => drafts.list());
  useEffect(() => {
    setList(drafts.list());
    return drafts.onChange(() => setList(drafts.list()));
  }, [drafts]);
  const shown = list.filter(({ id }) => id !== except);
  if (shown.length === 0) return null;
  const said = words.drafts;
  return (
    <section class="drafts" aria-label={said.title}>
      <h2>{said.title}</h2>
      <ul>
        {shown.map(({ id, draft: { name }, changedAtMs }) => (
          <li key={id} class="row">
            <Link to={['activities', 'new']} query={{ draft: id }}>
              {name || said.unnamed}
            </Link>
            <span>
              {said.changed} <When at={new Date(changedAtMs).toISOString()} />
            </span>
            <Confirmed
              title={said.remove}
              isDangerous
              consequence={said.removeWill(name || said.unnamed)}
              onConfirm={() => {
                drafts.remove(id);
                return Promise.resolve(undefined);
              }}
            />
          </li>
        ))}
      </ul>
      <small>{said.note}</small>
    </section>
  );
}
