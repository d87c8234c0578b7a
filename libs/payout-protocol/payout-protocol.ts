/** The codes after which the money goes back to the wallet. The list is closed. */
export const REFUSALS: readonly string[] = [
  'user-unknown',
  'user-closed',
  'limit-user',
  'currency',
  'amount',
];

/** The fields of a payment that an answer repeats as they were sent. */
export const ECHOED = ['payoutId', 'userId', 'amount', 'currency'] as const;

/** The columns of a channel's daily file. */
export const FILE_COLUMNS = ['payoutId', 'userId', 'amount', 'state', 'at'] as const;
