import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Deed } from './asking';
import { Outcome } from './outcome';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly hint?: string;
  readonly type?: 'text' | 'date';
  /** Hides the text from people nearby. */
  readonly secret?: boolean;
  readonly required?: boolean;
  readonly inputMode?: 'decimal' | 'numeric';
  readonly placeholder?: string;
  /** Follows the figure. */
  readonly unit?: string;
  /** The list beside it shows less because of its value. */
  readonly isNarrowing?: boolean;
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
  placeholder,
  unit,
  isNarrowing,
}: FieldProps) {
  const id = useId();
  // Preact types further attributes for each type of input; all of these types have the same.
  const shownAs = (secret ? 'password' : type) as 'text';
  const described = [unit && `${id}-unit`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <div class="field" data-narrowing={isNarrowing}>
      <label for={id}>{label}</label>
      <span class="measured">
        <input
          {...{ id, value, required, inputMode, placeholder }}
          type={shownAs}
          autoComplete="off"
          aria-describedby={described || undefined}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
        {unit && <span id={`${id}-unit`}>{unit}</span>}
      </span>
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

/** A text of several lines. */
export function LongField({
  label,
  value,
  onValue,
  hint,
  required = true,
}: Pick<FieldProps, 'label' | 'value' | 'onValue' | 'required'> & { readonly hint: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        {...{ id, value, required }}
        rows={4}
        aria-describedby={`${id}-hint`}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <small id={`${id}-hint`}>{hint}</small>
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
  /** The option with an empty value is none of them: another one has to be chosen. */
  readonly required?: boolean;
  readonly onValue: (value: string) => void;
  /** The list beside it shows less because of its value. */
  readonly isNarrowing?: boolean;
}

export function Choice({ label, value, options, required, onValue, isNarrowing }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field" data-narrowing={isNarrowing}>
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        required={required}
        onChange={(event) => onValue(event.currentTarget.value)}
      >
        {Object.entries(options).map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}

export interface FormProps {
  readonly title: string;
  readonly submit: string;
  /** The deed that the page is there for. */
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
