import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { words } from '../words';
import { type Deed, useDeed } from './asking';
import { Field } from './form';
import { type Notice, notify } from './notices';
import { Complaint } from './outcome';

interface ConfirmedProps {
  /** The text of the button, and the heading of the question. */
  readonly title: string;
  /** The text of the button, where the place that it is in says the rest of the title. */
  readonly short?: string;
  /** The effect, in words for people. */
  readonly consequence: string;
  readonly isDangerous?: boolean;
  /** The deed that the page is there for. */
  readonly isMain?: boolean;
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

/** A deed that needs a confirmation: the user reads its effect first. */
export function Confirmed({
  title,
  short,
  consequence,
  isDangerous = false,
  isMain = false,
  children,
  reason,
  typed,
  dismiss,
  onConfirm,
}: ConfirmedProps) {
  const [isOpen, setOpen] = useState(false);
  const [given, setGiven] = useState('');
  const deed = useDeed();
  const confirm = () =>
    deed.run(async (key) => {
      const done = await onConfirm(key, given);
      if (done) notify(typeof done === 'string' ? { text: done } : done);
      return undefined;
    });
  return (
    <>
      <button
        class={isDangerous ? 'danger' : isMain ? 'main' : undefined}
        aria-haspopup="dialog"
        aria-label={short && title}
        onClick={() => setOpen(true)}
      >
        {short ?? title}
      </button>
      {isOpen && (
        <Question
          {...{ title, consequence, isDangerous, dismiss, deed }}
          typed={typed === undefined ? [] : [typed]}
          hasFields={reason !== undefined}
          onConfirm={confirm}
          onClose={() => setOpen(false)}
        >
          {children}
          {reason && <Field label={reason} value={given} onValue={setGiven} />}
        </Question>
      )}
    </>
  );
}

interface QuestionProps extends Pick<ConfirmedProps, 'title' | 'isDangerous' | 'children' | 'dismiss'> {
  readonly consequence?: string;
  /** The text of the button, where it is not the title. */
  readonly submit?: string;
  /** The texts to type first, each in a field of its own. */
  readonly typed: readonly string[];
  /** There are fields among the children. */
  readonly hasFields?: boolean;
  readonly isWide?: boolean;
  /** There is nothing to do yet. */
  readonly isIdle?: boolean;
  readonly deed: Pick<Deed, 'isBusy' | 'fault'>;
  /** Returns whether the question is over. */
  readonly onConfirm: () => Promise<boolean>;
  readonly onClose: () => void;
}

/**
 * Says what a deed does, and asks whether to do it. The deed never has the focus, so that Enter, pressed
 * twice, does nothing.
 */
export function Question({
  title,
  submit = title,
  consequence,
  isDangerous = false,
  children,
  typed,
  hasFields = false,
  isWide = false,
  isIdle = false,
  dismiss = words.common.leaveIt,
  deed,
  onConfirm,
  onClose,
}: QuestionProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [given, setGiven] = useState<Readonly<Record<number, string>>>({});
  const isReady = !deed.isBusy && !isIdle && typed.every((text, i) => given[i]?.trim() === text.trim());
  const heading = useId();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const confirm = async () => {
    if (await onConfirm()) dialog.current?.close();
  };
  return (
    <dialog ref={dialog} class={isWide ? 'wide' : undefined} aria-labelledby={heading} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void confirm();
        }}
      >
        <h2 id={heading}>{title}</h2>
        {consequence && <p>{consequence}</p>}
        {children}
        {typed.map((text, i) => (
          <Field
            key={i}
            label={words.common.typeName(text)}
            value={given[i] ?? ''}
            onValue={(value) => setGiven((before) => ({ ...before, [i]: value }))}
          />
        ))}
        <Complaint fault={deed.fault} />
        <p class="row">
          <button class={isDangerous ? 'danger' : 'main'} aria-disabled={!isReady}>
            {submit}
          </button>
          <button
            type="button"
            autofocus={!hasFields && typed.length === 0}
            onClick={() => dialog.current?.close()}
          >
            {dismiss}
          </button>
        </p>
      </form>
    </dialog>
  );
}
