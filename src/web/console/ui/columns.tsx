import { words } from '../words';
import { When } from './facts';
import type { Column } from './table';

/** The amount of a row with its currency, sorted as a number. */
export const amountColumn = (): Column<{ readonly amount: string; readonly currency: string }> => ({
  name: 'amount',
  title: words.labels.amount,
  value: ({ amount }) => Number(amount),
  cell: ({ amount, currency }) => `${amount} ${currency}`,
  isNumber: true,
  isMoney: true,
});

type Instants<Key extends string> = Readonly<Record<Key, string | null>>;

/** An instant of a row, if it has one, to the minute. Its tooltip shows the exact one. */
export const momentColumn = <Key extends string>(
  name: string,
  title: string,
  key: Key,
): Column<Instants<Key>> => ({
  name,
  title,
  value: (row) => row[key],
  cell: (row) => <When at={row[key]} toMinute />,
});
