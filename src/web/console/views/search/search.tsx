import { Search as Magnifier } from 'lucide';
import { useContext, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApiClient } from '../../../../../libs/client';
import type { Person } from '../../session/staff';
import { go, hrefOf, MayOpen } from '../../ui/address';
import { CanAsk } from '../../ui/asking';
import { Icon } from '../../ui/icon';
import { Complaint } from '../../ui/outcome';
import { words } from '../../words';
import { useFound } from './use-found';

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

interface SearchProps {
  readonly api: ApiClient;
  readonly person: Person;
}

/**
 * Ctrl-K, or Cmd-K, finds anything by its name or id from any page. It opens before the browser takes the
 * next key, so that a name that is typed at once is whole.
 */
export function Search(props: SearchProps) {
  const [isOpen, setOpen] = useState(false);
  const canAsk = useContext(CanAsk);
  useLayoutEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      // A question that waits for an answer stays in front.
      if (canAsk && !document.querySelector('dialog[open]')) setOpen(true);
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  }, [canAsk]);
  return (
    <>
      <button
        class="search-button"
        data-keys={isMac ? '⌘K' : 'Ctrl K'}
        aria-label={words.search.title}
        aria-keyshortcuts="Control+K Meta+K"
        title={words.search.keys}
        onClick={() => setOpen(true)}
      >
        <Icon of={Magnifier} />
        <span>{words.search.title}</span>
      </button>
      {isOpen && <SearchDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

const STEPS: Readonly<Record<string, number | undefined>> = { ArrowDown: 1, ArrowUp: -1 };

/** A combobox: the arrows choose a line, and Enter opens it. */
function SearchDialog({ api, person, onClose }: SearchProps & { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [place, setPlace] = useState(0);
  const mayOpen = useContext(MayOpen);
  const { found, fault, isAsking } = useFound(api, person, text.trim());
  const shown = found.filter(({ to }) => mayOpen(to));
  const current = Math.min(place, shown.length - 1);
  const id = useId();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const open = (to: readonly string[]) => {
    dialog.current?.close();
    go(hrefOf(to));
  };
  const steer = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined || shown.length === 0) return;
    event.preventDefault();
    setPlace((current + step + shown.length) % shown.length);
  };
  return (
    <dialog ref={dialog} class="search" aria-label={words.search.title} onClose={onClose}>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          if (shown[current]) open(shown[current].to);
        }}
      >
        <input
          role="combobox"
          aria-label={words.search.title}
          aria-expanded={shown.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={shown.length > 0 ? `${id}-${current}` : undefined}
          autoComplete="off"
          placeholder={words.search.hint}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setPlace(0);
          }}
          onKeyDown={steer}
        />
        <ul role="listbox" id={`${id}-list`} aria-label={words.search.found}>
          {shown.map(({ kind, name, note, to }, i) => (
            <li
              key={`${kind} ${name} ${note}`}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === current}
              onClick={() => open(to)}
            >
              <small>{words.search.kinds[kind]}</small> {name} {note && <small>{note}</small>}
            </li>
          ))}
        </ul>
        <Complaint fault={fault} />
        <p role="status">
          {isAsking ? words.common.loading : text.trim() !== '' && shown.length === 0 && words.search.nothing}
        </p>
      </form>
    </dialog>
  );
}
