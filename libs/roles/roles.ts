/**
 * Whom a token speaks for. `operator` is all staff in one, for installations where one team does everything. A `server` is
 * trusted to say for which user it asks, and may do what that user may.
 */
export const ROLES = ['user', 'server', 'operator', 'campaign', 'finance', 'support'] as const;
export type Role = (typeof ROLES)[number];

const STAFF: readonly Role[] = ['operator', 'campaign', 'finance', 'support'];

/** The table of roles. Every route asks for one of these rights (`@Allow`); docs/security.md prints it route by route. */
const RIGHTS = {
  /** To win packets. Staff decide whose money rains, and what becomes of a win; so they do not win. */
  play: ['user', 'server'],
  /** To read what is public, and what is the caller's own. Staff also read who won what, of any activity. */
  read: ['user', 'server', 'operator', 'campaign', 'finance', 'support'],
  /** To create, top up and end activities: users their own, staff those of any sponsor. */
  sponsor: ['user', 'server', 'operator', 'campaign'],
  /** To read what belongs to others: wallets, dead letters, the audit log, webhooks. */
  inspect: ['operator', 'finance', 'support'],
  /** To deposit, freeze wallets, and end dead letters. */
  'manage-money': ['operator', 'finance'],
  /** To change where messages go. */
  administer: ['operator'],
} as const satisfies Record<string, readonly Role[]>;

export type Right = keyof typeof RIGHTS;

export const rolesWith = (right: Right): readonly Role[] => RIGHTS[right];

/** Whether this role acts for the owner of the installation, and not for itself. */
export const isStaff = (role: Role): boolean => STAFF.includes(role);

export function isRole(value: unknown): value is Role {
  return ROLES.some((role) => role === value);
}
