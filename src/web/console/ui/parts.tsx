import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { words } from '../words';
import { momentText } from '../words/language';
import { type Deed, useDeed } from './asking';
import type { Fault } from './fault';
import { type Notice, notify } from './notices';

/** An error, shown where it happened. */
export function Complaint({ fault }: { readonly fault?: Fault }) {
  return fault ? (
    <p role="alert" class="complaint">
      {fault.sentence}
    </p>
  ) : null;
}

/** The result of a deed. */
export function Outcome({ deed }: { readonly deed: Deed }) {
  return (
    <>
      <Complaint fault={deed.fault} />
      <p role="status" class="done">
        {deed.done}
      </p>
    </>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly hint?: string;
  readonly type?: 'text' | 'datetime-local';
  /** Hides the text from people nearby. */
  readonly secret?: boolean;
  readonly required?: boolean;
  readonly inputMode?: 'decimal' | 'numeric';
}

export function Field({
  label,
  value,
  onValue,
  hint,
  type = 'text',
  secret = false,
  required = true,
  inputMode,
}: FieldProps) {
  const id = useId();
  // Preact types further attributes for each type of input; all of these types have the same.
  const shownAs = (secret ? 'password' : type) as 'text';
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...{ id, value, required, inputMode }}
        type={shownAs}
        step={type === 'datetime-local' ? 1 : undefined}
        autoComplete="off"
        aria-describedby={hint ? `${id}-hint` : undefined}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

interface FileFieldProps {
  readonly label: string;
  readonly onFile: (file: File | undefined) => void;
  /** The types that the browser offers. */
  readonly accept: string;
  readonly hint?: string;
  readonly required?: boolean;
}

export function FileField({ label, onFile, accept, hint, required = true }: FileFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...{ id, accept, required }}
        type="file"
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onFile(event.currentTarget.files?.[0])}
      />
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  /** Values with their labels. */
  readonly options: Readonly<Record<string, string>>;
  readonly onValue: (value: string) => void;
}

export function Choice({ label, value, options, onValue }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        {Object.entries(options).map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}

interface FormProps {
  readonly title: string;
  readonly submit: string;
  readonly deed: Deed;
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

export function Form({ title, submit, deed, onSubmit, children }: FormProps) {
  return (
    <form
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        if (!deed.isBusy) onSubmit();
      }}
    >
      <h2>{title}</h2>
      <div class="fields">{children}</div>
      <button class="main" aria-disabled={deed.isBusy}>
        {submit}
      </button>
      <Outcome deed={deed} />
    </form>
  );
}

interface GroupProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** Fields of a form that belong together. */
export function Group({ title, children }: GroupProps) {
  return (
    <fieldset>
      <legend>{title}</legend>
      <div class="fields">{children}</div>
    </fieldset>
  );
}

interface ConfirmedProps {
  /** The text of the button, and the heading of the question. */
  readonly title: string;
  /** The effect, in words for people. */
  readonly consequence: string;
  readonly isDangerous?: boolean;
  /** Further facts about the effect. */
  readonly children?: ComponentChildren;
  /** The label of a reason, which is asked for beside the confirmation. */
  readonly reason?: string;
  /** Returns what it has done, which stays to be read. */
  readonly onConfirm: (key: string, reason: string) => Promise<Notice | string | undefined>;
}

/** A deed that needs a confirmation: the user reads its effect first. */
export function Confirmed({
  title,
  consequence,
  isDangerous = false,
  children,
  reason,
  onConfirm,
}: ConfirmedProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [given, setGiven] = useState('');
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
      <button class={isDangerous ? 'danger' : undefined} onClick={() => setOpen(true)}>
        {title}
      </button>
      {isOpen && (
        <dialog ref={dialog} aria-labelledby={heading} onClose={() => setOpen(false)}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (!deed.isBusy) void confirm();
            }}
          >
            <h2 id={heading}>{title}</h2>
            <p>{consequence}</p>
            {children}
            {reason && <Field label={reason} value={given} onValue={setGiven} />}
            <Complaint fault={deed.fault} />
            <p class="row">
              <button class={isDangerous ? 'danger' : 'main'} aria-disabled={deed.isBusy}>
                {title}
              </button>
              <button type="button" onClick={() => dialog.current?.close()}>
                {words.common.leaveIt}
              </button>
            </p>
          </form>
        </dialog>
      )}
    </>
  );
}

/** An instant in the reader's own time zone. Its tooltip shows the exact one. */
export function When({ at }: { readonly at: string | null }) {
  if (at === null) return <>–</>;
  return (
    <time dateTime={at} title={at}>
      {momentText(at)}
    </time>
  );
}
