import { useState } from 'preact/hooks';
import { Field } from './form';

interface OpenFormProps {
  /** The name of the form, where its field does not say what it opens. */
  readonly name?: string;
  readonly label: string;
  readonly hint?: string;
  readonly submit: string;
  /** The id whose page is open already. */
  readonly opened?: string;
  readonly onOpen: (id: string) => void;
}

/** Asks for an id, whose page it opens. */
export function OpenForm({ opened = '', ...form }: OpenFormProps) {
  const [id, setId] = useState(opened);
  return <IdForm {...form} id={id} onId={setId} />;
}

interface IdFormProps extends Omit<OpenFormProps, 'opened'> {
  readonly id: string;
  readonly onId: (id: string) => void;
}

/** The same where what is typed belongs to the page. */
export function IdForm({ name, label, hint, submit, id, onId, onOpen }: IdFormProps) {
  return (
    <form
      class="row leading"
      aria-label={name}
      onSubmit={(event) => {
        event.preventDefault();
        onOpen(id);
      }}
    >
      <Field label={label} value={id} onValue={onId} hint={hint} />
      <button>{submit}</button>
    </form>
  );
}
