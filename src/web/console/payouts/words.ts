import type { Schema } from '../../../../libs/client';

type Payout = Schema<'PayoutDto'>;

export const STATES: Readonly<Record<Payout['state'], string>> = {
  review: 'Under review',
  reserved: 'Reserved',
  sending: 'Sending',
  unknown: 'Unknown',
  processing: 'Processing',
  'needs-user': 'Needs the user',
  paid: 'Paid',
  refused: 'Refused',
  returned: 'Returned',
};

const KINDS: Readonly<Record<string, string>> = {
  'answer-differs': 'It answers with another user, amount or currency. Nothing more is sent to it.',
  'never-sent': 'Its file has an id that was never sent. Nothing more is sent to it.',
  'file-differs': 'Its file names another user or amount',
  'paid-twice': 'Its file has the payment twice',
  'paid-but-missing': 'Paid here, and in none of its files',
  'key-expired': 'It does not know a payment that is too old to be asked for again',
};

const SAYS: Readonly<Record<string, string>> = { ...STATES, 'not-found': 'Not found' };

export function kindText(kind: string): string {
  const [, ours = '', theirs = ''] = /^(.+)-but-(.+)$/.exec(kind) ?? [];
  const contradiction =
    theirs && `${SAYS[ours] ?? ours} here, ${(SAYS[theirs] ?? theirs).toLowerCase()} there`;
  return KINDS[kind] ?? (contradiction || kind);
}

const FACTS: Readonly<Record<string, string>> = {
  payoutId: 'as',
  call: 'call',
  reason: 'because',
  reported: 'reported as',
  externalId: 'payment',
  code: 'code',
  action: 'the user has to',
  userId: 'user',
  claims: 'wins',
  evidence: 'evidence',
  approvedBy: 'approved by',
  reportedBy: 'reported by',
  file: 'in the file of',
};

const PLACES = Object.keys(FACTS);
const placeOf = (name: string): number => PLACES.indexOf(name) + 1 || PLACES.length + 1;

/** The facts of a step or a finding, each with its name. */
export const factsText = (detail: object): string =>
  Object.entries(detail)
    .sort(([a], [b]) => placeOf(a) - placeOf(b))
    .map(
      ([name, value]) =>
        `${FACTS[name] ?? name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    .join(' · ');
