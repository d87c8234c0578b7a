import { words } from '../words';
import { Link } from './address';
import { When } from './parts';
import type { Column } from './table';

/** The user of a row, with a link to the wallet. */
export const userColumn = (): Column<{ readonly userId: string }> => ({
  name: 'user',
  title: words.labels.userId,
  value: ({ userId }) => userId,
  cell: ({ userId }) => <Link to={['wallets', userId]}>{userId}</Link>,
});

/** The amount of a row with its currency, sorted as a number. */
export const amountColumn = (): Column<{ readonly amount: string; readonly currency: string }> => ({
  name: 'amount',
  title: words.labels.amount,
  value: ({ amount }) => Number(amount),
  cell: ({ amount, currency }) => `${amount} ${currency}`,
  isNumber: true,
});

type Instants<Key extends string> = Readonly<Record<Key, string | null>>;

/** An instant of a row, if it has one. */
export const momentColumn = <Key extends string>(
  name: string,
  title: string,
  key: Key,
): Column<Instants<Key>> => ({
  name,
  title,
  value: (row) => row[key],
  cell: (row) => <When at={row[key]} />,
});
