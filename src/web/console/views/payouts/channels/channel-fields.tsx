import type { Schema } from '../../../../../../libs/client';
import { Field } from '../../../ui/form';
import { words } from '../../../words';
import { grouped } from '../../../words/language';
import { spanOf } from '../../../words/spans';
import { type Currency, currencyAmong } from '../../currencies/currencies-at-hand';
import { unitOf } from '../../currencies/currency-choice';
import type { Channel } from './channels-at-hand';

type Profile = Schema<'ChannelProfileBody'>;

/** Each field as it is written, empty if it is left out. */
export type ChannelDraft = Readonly<
  Record<'name' | 'url' | 'currency' | (typeof MONEY)[number] | (typeof COUNTS)[number] | 'timeZone', string>
>;

const MONEY = ['smallest', 'largest', 'perUserPerDay', 'perDay'] as const;
const COUNTS = [
  'perSecond',
  'inFlight',
  'timeoutMs',
  'quarantineSeconds',
  'keyLifetimeSeconds',
  'gatherSeconds',
] as const;

/** The units of the numbers in these fields. */
const UNITS: Readonly<Partial<Record<keyof ChannelDraft, string>>> = {
  timeoutMs: 'ms',
  quarantineSeconds: 's',
  keyLifetimeSeconds: 's',
  gatherSeconds: 's',
};

export const NEW_CHANNEL: ChannelDraft = {
  name: '',
  url: '',
  currency: '',
  smallest: '',
  largest: '',
  perUserPerDay: '',
  perDay: '',
  perSecond: '50',
  inFlight: '16',
  timeoutMs: '5000',
  quarantineSeconds: '120',
  keyLifetimeSeconds: '86400',
  gatherSeconds: '0',
  timeZone: 'UTC',
};

export function channelDraftOf({ name, url, currency, profile }: Channel): ChannelDraft {
  const written = Object.entries(profile).map(([field, value]) => [field, String(value ?? '')]);
  const plain = { name, url: url ?? '', currency: currency ?? '' };
  return { ...NEW_CHANNEL, ...plain, ...(Object.fromEntries(written) as Partial<ChannelDraft>) };
}

export function profileOf(draft: ChannelDraft): Profile {
  const money = MONEY.filter((field) => draft[field] !== '').map((field) => [field, draft[field]]);
  const counts = COUNTS.filter((field) => draft[field] !== '').map((field) => [field, Number(draft[field])]);
  return { ...(Object.fromEntries([...money, ...counts]) as Profile), timeZone: draft.timeZone };
}

/** The fields that the user has changed. Limits that were emptied are removed. */
export function changesOf(former: ChannelDraft, draft: ChannelDraft): Schema<'ChangeChannelBody'> {
  const isChanged = (field: keyof ChannelDraft) => draft[field] !== former[field];
  const profile = {
    ...Object.fromEntries(MONEY.filter(isChanged).map((field) => [field, draft[field] || null])),
    ...Object.fromEntries(COUNTS.filter(isChanged).map((field) => [field, Number(draft[field])])),
    ...(isChanged('timeZone') && { timeZone: draft.timeZone }),
  };
  return { ...(isChanged('name') && { name: draft.name }), profile };
}

interface FieldsProps {
  readonly draft: ChannelDraft;
  readonly onDraft: (draft: ChannelDraft) => void;
  /** A channel without a URL cannot become a called channel. */
  readonly isCalled: boolean;
  readonly currencies: readonly Currency[] | undefined;
}

export function ChannelFields({ draft, onDraft, isCalled, currencies }: FieldsProps) {
  const shown = Object.keys(words.channelLabels) as (keyof typeof words.channelLabels)[];
  const currency = currencyAmong(currencies, draft.currency);
  return (
    <>
      {shown
        .filter((field) => isCalled || !isOfCalls(field))
        .map((field) => (
          <Field
            key={field}
            label={words.channelLabels[field]}
            value={draft[field]}
            required={field === 'name' || field === 'smallest' || field === 'timeZone'}
            inputMode={inputModeOf(field)}
            hint={words.channels.hints[field]}
            unit={UNITS[field]}
            {...(isMoney(field) && currency && unitOf(currency))}
            onValue={(value) => onDraft({ ...draft, [field]: value })}
          />
        ))}
    </>
  );
}

/** It says nothing about a channel that is never called. */
export const isOfCalls = (field: string): boolean =>
  field !== 'gatherSeconds' && (field === 'url' || isCount(field));

const isMoney = (field: string): boolean => MONEY.some((name) => name === field);
const isCount = (field: string): boolean => COUNTS.some((name) => name === field);

/** A field as people read it, with its unit. The currency is empty until it is read. */
export function profileText(field: string, written: string, currency: string): string {
  if (isMoney(field)) return currency ? `${written} ${currency}` : written;
  return spanOf(field, Number(written)) ?? (isCount(field) ? grouped(written) : written);
}

function inputModeOf(field: keyof ChannelDraft): 'decimal' | 'numeric' | undefined {
  if (isMoney(field)) return 'decimal';
  return isCount(field) ? 'numeric' : undefined;
}
