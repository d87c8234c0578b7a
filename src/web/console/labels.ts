/** The labels of the fields of a payout channel. */
export const CHANNEL_LABELS = {
  name: 'Name',
  url: 'URL',
  smallest: 'Smallest payout',
  largest: 'Largest payout',
  perUserPerDay: 'Of a user per day',
  perDay: 'Of all per day',
  perSecond: 'Calls per second',
  inFlight: 'Calls at once',
  timeoutMs: 'Milliseconds a call',
  quarantineSeconds: 'Quarantine in seconds',
  keyLifetimeSeconds: 'Lifetime of an id in seconds',
  gatherSeconds: 'Gather for seconds',
  timeZone: 'Days begin in',
} as const;

/** How the forms label what the API calls by another name. */
export const LABELS = {
  activityId: 'Activity',
  actor: 'Who',
  amount: 'Amount',
  channelId: 'Channel',
  closesAt: 'Closes',
  description: 'Description',
  evidence: 'Evidence',
  externalId: 'Their payment',
  name: 'Name',
  opensAt: 'Opens',
  packetCount: 'Packets',
  reason: 'Reason',
  reference: 'Reference',
  resolution: 'Resolution',
  split: 'Split',
  'split.max': 'Largest',
  'split.min': 'Smallest',
  'split.tiers': 'Tiers',
  sponsorId: 'Sponsor',
  totalAmount: 'Total amount',
  url: 'URL',
  userId: 'User',
} as const;

const LABEL_OF = new Map<string, string>([
  ...Object.entries(LABELS),
  ...Object.entries(CHANNEL_LABELS).map(([name, label]) => [`profile.${name}`, label] as const),
]);

/** @param path such as `split.tiers.0.amount`, which is in the field that is labelled "Tiers" */
export function labelOf(path: string): string {
  for (let name = path; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('.')))) {
    const label = LABEL_OF.get(name);
    if (label !== undefined) return `“${label}”`;
  }
  return path;
}

/** Puts the labels into a sentence of the API, for words that are no ordinary ones. */
export const labelled = (sentence: string): string =>
  sentence.replace(/\b[a-z]+(?:[A-Z]\w*|(?:\.\w+)+)/g, labelOf);
