import { refine } from './address';
import { Choice, Field } from './form';

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
