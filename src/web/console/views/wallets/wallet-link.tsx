import { Link } from '../../ui/address';
import type { Column } from '../../ui/table';
import { words } from '../../words';

interface WalletLinkProps {
  readonly userId: string;
  /** The default when left out. */
  readonly currency?: string;
}

/** The id of a user, with a link to their wallet. */
export function WalletLink({ userId, currency = '' }: WalletLinkProps) {
  return (
    <Link to={['wallets', userId]} query={{ currency }}>
      {userId}
    </Link>
  );
}

/** The user of a row. */
export const userColumn = (): Column<WalletLinkProps> => ({
  name: 'user',
  title: words.labels.userId,
  value: ({ userId }) => userId,
  cell: ({ userId, currency }) => <WalletLink {...{ userId, currency }} />,
});
