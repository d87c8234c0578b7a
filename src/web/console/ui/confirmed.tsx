import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { words } from '../words';
import { useDeed } from './asking';
import { Field } from './form';
import { type Notice, notify } from './notices';
import { Complaint } from './outcome';

interface ConfirmedProps {
  /** The text of the button, and the heading of the question. */
  readonly title: string;
  /** The effect, in words for people. */
  readonly consequence: string;
  readonly isDangerous?: boolean;
  /** Further facts about the effect. */
  readonly children?: ComponentChildren;
  /** The label of a reason, which is asked for with the confirmation. */
  readonly reason?: string;
  /** A name to type first: for a deed that nothing takes back. */
  readonly typed?: string;
  /** The text of the button that does nothing. */
  readonly dismiss?: string;
  /** Returns the result, which stays on the page to be read. */
  readonly onConfirm: (key: string, reason: string) => Promise<Notice | string | undefined>;
}

/**
 * A deed that needs a confirmation: the user reads its effect first. The deed never has the focus, so
 * that Enter, pressed twice, does nothing.
 */
export function Confirmed({
  title,
  consequence,
  isDangerous = false,
  children,
  reason,
  typed,
  dismiss = words.common.leaveIt,
  onConfirm,
}: ConfirmedProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [given, setGiven] = useState('');
  const [name, setName] = useState('');
  const isNamed = typed === undefined || name.trim() === typed.trim();
  const heading = useId();
  const deed = useDeed();
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  const confirm = async () => {
    const isDone = await deed.run(async (key) => {
      const done = await onConfirm(key, given);
      if (done) notify(typeof done === 'string' ? { text: done } : done);
      return undefined;
    });
    if (isDone) dialog.current?.close();
  };
  return (
    <>
      <button class={isDangerous ? 'danger' : undefined} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {title}
      </button>
      {isOpen && (
        <dialog ref={dialog} aria-labelledby={heading} onClose={() => setOpen(false)}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (!deed.isBusy && isNamed) void confirm();
            }}
          >
            <h2 id={heading}>{title}</h2>
            <p>{consequence}</p>
            {children}
            {typed !== undefined && (
              <Field label={words.common.typeName(typed)} value={name} onValue={setName} />
            )}
            {reason && <Field label={reason} value={given} onValue={setGiven} />}
            <Complaint fault={deed.fault} />
            <p class="row">
              <button class={isDangerous ? 'danger' : 'main'} aria-disabled={deed.isBusy || !isNamed}>
                {title}
              </button>
              <button
                type="button"
                autofocus={reason === undefined && typed === undefined}
                onClick={() => dialog.current?.close()}
              >
                {dismiss}
              </button>
            </p>
          </form>
        </dialog>
      )}
    </>
  );
}
