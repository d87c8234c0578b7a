import type { ApiClient, Schema } from '../../../../../libs/client';
import { may, type Person } from '../../session/staff';
import { useAnswer } from '../../ui/asking';
import { Confirmed } from '../../ui/confirmed';
import type { Column } from '../../ui/table';
import { words } from '../../words';

type Entry = Schema<'EntryDto'>;

interface Reversals {
  /** A column of ledger lines; none for people who may not ask for a reversal. */
  readonly columns: readonly Column<Entry>[];
  readonly ask: () => void;
}

/** Lets deposits be taken back, each once: a request that waits already takes the place of the button. */
export function useReversals(api: ApiClient, person: Person, ownerId: string): Reversals {
  const mayAsk = may(person, 'manage-money');
  const pending = useAnswer(
    async (options) =>
      mayAsk ? (await api.listApprovals({ status: 'pending', limit: 100 }, options)).items : [],
    [api, mayAsk, ownerId],
  );
  const waiting = (depositId: string) =>
    pending.value?.find(
      ({ action, terms }) => action === 'wallet.reverse-deposit' && terms.depositId === depositId,
    );
  const reverse = (depositId: string) => async (key: string, reason: string) => {
    await api.reverseDeposit(depositId, { reason }, { key });
    pending.ask();
    return { text: words.wallets.reversalAsked(depositId), to: ['approvals'] };
  };
  const column: Column<Entry> = {
    name: 'reversal',
    title: words.wallets.reversal,
    value: () => null,
    isShownOnly: true,
    cell: ({ kind, reversedBy, transferId, amount, currency }) => {
      if (kind !== 'deposit' || reversedBy !== null) return null;
      const asked = waiting(transferId);
      if (asked) return words.wallets.reversalWaits(asked.id);
      return (
        <span class="row">
          <Confirmed
            title={words.wallets.reverse}
            isDangerous
            consequence={words.wallets.reverseWill(`${amount} ${currency}`, ownerId, transferId)}
            reason={words.labels.reason}
            onConfirm={reverse(transferId)}
          />
        </span>
      );
    },
  };
  return { columns: mayAsk ? [column] : [], ask: pending.ask };
}
