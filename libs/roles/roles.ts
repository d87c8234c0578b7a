/**
 * The roles of a token. `operator` combines all staff roles, for installations where one team does
 * everything. A `server` is trusted to name the user for whom it acts, and may do what that user may. A
 * `channel` is the back end of the one payout channel that its token names.
 */
export const ROLES = ['user', 'server', 'operator', 'campaign', 'finance', 'support', 'channel'] as const;
export type Role = (typeof ROLES)[number];

const STAFF: readonly Role[] = ['operator', 'campaign', 'finance', 'support'];

/** The table of roles. Every route requires one right (`@Allow`); docs/security.md lists them. */
const RIGHTS = {
  /** Wins packets. Staff decide about the money that rains and about wins, so they do not win. */
  play: ['user', 'server'],
  /** Reads public data and the caller's own. Staff also read the winners of any activity. */
  read: ['user', 'server', 'operator', 'campaign', 'finance', 'support'],
  /** Creates, tops up and ends activities: users their own, staff those of any sponsor. */
  sponsor: ['user', 'server', 'operator', 'campaign'],
  /** Repeats the activities of any sponsor by a rule, creating them in the caller's name. */
  schedule: ['operator', 'campaign'],
  /** Reports how rehearsals went, for those who are about to open the real activity. */
  rehearse: ['operator', 'campaign'],
  /** Reads data of others: wallets, dead letters, the audit log, webhooks. */
  inspect: ['operator', 'finance', 'support'],
  /** Reads the outcome of the caller's own requests to a second person; only staff make such requests. */
  'read-own-requests': ['operator', 'campaign', 'finance', 'support'],
  /** Deposits, freezes wallets, and ends dead letters. */
  'manage-money': ['operator', 'finance'],
  /** Changes where messages go. */
  administer: ['operator'],
  /** Reads the payouts that wait for a channel, which a channel does for its own. */
  'read-waiting': ['operator', 'finance', 'support', 'channel'],
  /** Reports what a channel has done. Staff never report for it, because they could pay themselves. */
  'report-payouts': ['channel'],
} as const satisfies Record<string, readonly Role[]>;

export type Right = keyof typeof RIGHTS;

export const rolesWith = (right: Right): readonly Role[] => RIGHTS[right];

export const rightsOf = (role: Role): readonly Right[] =>
  (Object.keys(RIGHTS) as Right[]).filter((right) => rolesWith(right).includes(role));

/** Returns whether this role acts for the owner of the installation, and not for itself. */
export const isStaff = (role: Role): boolean => STAFF.includes(role);

export function isRole(value: unknown): value is Role {
  return ROLES.some((role) => role === value);
}
