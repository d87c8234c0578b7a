import { ChoiceFilter } from '../../ui/filters';
import { Choice, Field } from '../../ui/form';
import { words } from '../../words';
import { choosable, type Currency, currencyAmong, currencyOptions } from './currencies-at-hand';

export interface CurrencyChoiceProps {
  /** Those of the installation, once they are read. */
  readonly currencies: readonly Currency[] | undefined;
  /** Empty for the default. */
  readonly value: string;
}

/** There is nothing to choose in an installation that knows one currency. */
const isChoice = (currencies: readonly Currency[]): boolean => currencies.length > 1;

export function CurrencyChoice({
  currencies: all,
  value,
  onValue,
}: CurrencyChoiceProps & { readonly onValue: (code: string) => void }) {
  const currencies = choosable(all);
  if (!isChoice(currencies)) return null;
  return (
    <Choice
      label={words.labels.currency}
      value={value || currencies[0]!.code}
      options={currencyOptions(currencies)}
      onValue={onValue}
    />
  );
}

/** Chooses the currency of a page or a list. */
export function CurrencyFilter({ currencies: all, value }: CurrencyChoiceProps) {
  const currencies = choosable(all);
  if (!isChoice(currencies)) return null;
  return (
    <ChoiceFilter
      name="currency"
      label={words.labels.currency}
      value={value || currencies[0]!.code}
      options={currencyOptions(currencies)}
    />
  );
}

interface AmountFieldProps extends CurrencyChoiceProps {
  readonly label: string;
  readonly amount: string;
  readonly onAmount: (amount: string) => void;
  readonly required?: boolean;
  readonly hint?: string;
  /** What an empty field means, else the decimals. */
  readonly placeholder?: string;
}

/** How a field shows what its amount is of. */
export const unitOf = ({ code, decimals }: Currency) =>
  ({
    unit: code,
    placeholder: (0).toFixed(decimals),
    inputMode: decimals === 0 ? 'numeric' : 'decimal',
  }) as const;

/** An amount, with its currency and decimals to be seen. */
export function AmountField({
  currencies,
  value,
  amount,
  onAmount,
  placeholder,
  ...field
}: AmountFieldProps) {
  const currency = currencyAmong(currencies, value);
  return (
    <Field
      {...field}
      value={amount}
      onValue={onAmount}
      inputMode="decimal"
      {...(currency && unitOf(currency))}
      {...(placeholder !== undefined && { placeholder })}
    />
  );
}
