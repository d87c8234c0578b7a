import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { words } from '../words';
import { refine, useAddress } from './address';
import { Choice, Field } from './form';

/** Parts of an address that narrow nothing. */
const NOT_FILTERS: readonly string[] = ['sort', 'list', 'owner'];

/** All filters of a list. A phone folds them, and says how many narrow it. */
export function Filters({ children }: { readonly children: ComponentChildren }) {
  const { query } = useAddress();
  const [isOpen, setOpen] = useState(false);
  const count = Object.keys(query).filter((name) => query[name] && !NOT_FILTERS.includes(name)).length;
  return (
    <div class="filters">
      <button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {count > 0 ? words.common.filters(count) : words.common.filter}
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
  return <Field {...field} required={false} onValue={(value) => refine({ [name]: value })} />;
}

interface ChoiceFilterProps extends FilterProps {
  /** Values with their labels. */
  readonly options: Readonly<Record<string, string>>;
}

/** A choice that narrows a list. */
export function ChoiceFilter({ name, ...choice }: ChoiceFilterProps) {
  return <Choice {...choice} onValue={(value) => refine({ [name]: value })} />;
}
