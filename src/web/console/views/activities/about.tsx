import type { Schema } from '../../../../../libs/client';
import { When } from '../../ui/facts';
import { words } from '../../words';
import { amountText } from '../../words/language';
import { WalletLink } from '../wallets/wallet-link';
import { endOf, neverOpened } from './phase';

interface NeverOpenedProps {
  readonly activity: Schema<'ActivityDto'>;
  readonly proof: Schema<'ReconciliationDto'> | undefined;
}

/** What became of an activity that ended before it could open, and of its money. */
export function NeverOpened({ activity, proof }: NeverOpenedProps) {
  if (!proof || !neverOpened(activity)) return null;
  const said = words.activity.neverOpened;
  const isBack = proof.refunded === proof.funded;
  const money = amountText(`${proof.funded} ${proof.currency}`);
  return (
    <p class="panel">
      {(activity.cancelled ? said.cancelled : said.closed)(
        (isBack ? said.wentBack : said.goesBack)(money, activity.sponsorId),
      )}
    </p>
  );
}

/** An activity in one line: its money, its sponsor, and its window. */
export function About({ activity }: { readonly activity: Schema<'ActivityDto'> }) {
  const { id, sponsorId, totalAmount, currency, packetCount, opensAt, closesAt, closedAt } = activity;
  const end = endOf(activity);
  const isOnlyPlanned = neverOpened(activity);
  const said = words.activity;
  return (
    <p class="about">
      {said.about(id, amountText(`${totalAmount} ${currency}`), packetCount)}
      <WalletLink userId={sponsorId} currency={currency} /> · {isOnlyPlanned && said.planned}
      <When at={opensAt} toMinute />
      {said.to}
      <When at={end} toMinute />
      {isOnlyPlanned && (
        <>
          {activity.cancelled ? said.cancelledAt : said.closedAt}
          <When at={closedAt} toMinute />
        </>
      )}
      {end !== closesAt && said.early}
    </p>
  );
}
