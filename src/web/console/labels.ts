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
  admission: 'Who may tap',
  amount: 'Amount',
  channelId: 'Channel',
  closesAt: 'Closes',
  description: 'Description',
  evidence: 'Evidence',
  externalId: 'Their payment',
  limits: 'Limits',
  'limits.group': 'Group of rains',
  'limits.perUser': 'Wins of a user for ever',
  'limits.perUserPerDay': 'Wins of a user a day',
  'limits.timeZone': 'Days begin in',
  name: 'Name',
  opensAt: 'Opens',
  pace: 'Packets are released',
  'pace.until': 'All released by',
  'pace.waves': 'Waves',
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

/** The label of a path, or of the part of the form that it is in. */
function knownLabel(path: string): string | undefined {
  for (let name = path; name !== ''; name = name.replace(/(^|[.[])[^.[]*$/, '')) {
    const label = LABEL_OF.get(name);
    if (label !== undefined) return `“${label}”`;
  }
  return undefined;
}

/** @param path such as `split.tiers[0].amount`, which is in the field that is labelled "Tiers" */
export const labelOf = (path: string): string => knownLabel(path) ?? path;

/**
 * Puts the labels into a sentence of the API about a field, for words that are no ordinary ones. A
 * sentence names the fields beside or below its own without their path.
 */
export const labelled = (sentence: string, field: string): string =>
  sentence.replace(/`?\b([a-z]+(?:[A-Z]\w*|(?:\.\w+)+))`?/g, (written, name: string) => {
    const near = [`${field}.${name}`, `${field.replace(/[^.]*$/, '')}${name}`, name];
    const path = near.find((one) => LABEL_OF.has(one));
    return path === undefined ? written : labelOf(path);
  });
