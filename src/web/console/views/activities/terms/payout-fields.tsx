import type { ApiClient, Schema } from '../../../../../../libs/client';
import { Choice, Field } from '../../../ui/form';
import { words } from '../../../words';
import type { Currency } from '../../currencies/currencies-at-hand';
import { channelOptions, isIn, namesOf, useChannels } from '../../payouts/channels/channels-at-hand';

type Payout = NonNullable<Schema<'CreateActivityBody'>['payout']>;

/** The input of the form about where wins go. */
export interface PayoutDraft {
  /** Empty if wins stay in wallets. */
  readonly channelId: string;
  readonly days: string;
}

export const NO_PAYOUT: PayoutDraft = { channelId: '', days: '' };

/** Fills the form from the terms of an activity. */
export const payoutDraftOf = ({ channelId, days }: Partial<Payout> = {}): PayoutDraft => ({
  channelId: channelId ?? '',
  days: String(days ?? ''),
});

/** Leaves out an empty field. The API refuses a wrong one. */
export const payoutOf = ({ channelId, days }: PayoutDraft): Payout | undefined =>
  channelId === '' ? undefined : { channelId, ...(days && { days: Number(days) }) };

interface PayoutFieldsProps {
  readonly api: ApiClient;
  readonly currencies: readonly Currency[] | undefined;
  /** Empty for the default. */
  readonly currency: string;
  readonly draft: PayoutDraft;
  readonly onDraft: (draft: PayoutDraft) => void;
}

export function PayoutFields({ api, currencies, currency, draft, onDraft }: PayoutFieldsProps) {
  const { channelId, days } = draft;
  const channels = useChannels(api).value ?? [];
  const names = namesOf(channels.filter((one) => isIn(one, currencies, currency)));
  return (
    <>
      <Choice
        label={words.labels['payout.channelId']}
        value={channelId}
        options={channelOptions(names, channelId, words.terms.noPayout)}
        onValue={(value) => onDraft({ ...draft, channelId: value })}
      />
      {channelId && (
        <Field
          label={words.labels['payout.days']}
          value={days}
          required={false}
          inputMode="numeric"
          onValue={(value) => onDraft({ ...draft, days: value })}
          hint={words.newActivity.daysHint}
        />
      )}
    </>
  );
}
