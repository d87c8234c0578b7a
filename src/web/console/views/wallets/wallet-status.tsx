import type { Schema } from '../../../../../libs/client';
import { words } from '../../words';

interface WalletStatusProps {
  readonly status: Schema<'WalletDto'>['status'];
}

export const WalletStatus = ({ status }: WalletStatusProps) => (
  <span class={`phase ${status === 'frozen' ? 'stop' : 'ok'}`}>{words.wallets.statuses[status]}</span>
);
