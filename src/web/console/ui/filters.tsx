import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { words } from '../words';
import { refine } from './address';
import { Choice, Field } from './form';

/** All filters of a list. A phone folds those that do not narrow it, if there are several. */
export function Filters({ children }: { readonly children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="filters">
      <button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {words.common.filter}
      </button>
      <div class="row">{children}</div>
    </div>
  );
}

interface FilterProps {
  /** Name of the filter in the address of the page. */
  readonly name: string;
  readonly label: string;
  /** Empty if the list is not narrowed by it. */
  readonly value: string;
}

/** A text that narrows a list. */
export function TextFilter({
  name,
  ...field
}: FilterProps & { readonly hint?: string; readonly type?: 'text' | 'date' }) {
  return (
    <Field
      {...field}
      required={false}
      isNarrowing={field.value !== ''}
      onValue={(value) => refine({ [name]: value })}
    />
  );
}

interface ChoiceFilterProps extends FilterProps {
  /** Values with their labels. A list that is not narrowed has the empty one, or the first where there is none. */
  readonly options: Readonly<Record<string, string>>;
}

/** A choice that narrows a list. */
export function ChoiceFilter({ name, ...choice }: ChoiceFilterProps) {
  return (
    <Choice
      {...choice}
      isNarrowing={choice.value !== ('' in choice.options ? '' : Object.keys(choice.options)[0])}
      onValue={(value) => refine({ [name]: value })}
    />
  );
}
