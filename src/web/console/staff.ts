import type { Person, Role } from '../kit/person';

/** The roles of each right, as in docs/security.md. */
const RIGHTS = {
  inspect: ['operator', 'finance', 'support'],
  sponsor: ['operator', 'campaign'],
  'manage-money': ['operator', 'finance'],
  administer: ['operator'],
} as const satisfies Record<string, readonly Role[]>;

export type Right = keyof typeof RIGHTS;

const STAFF: readonly Role[] = ['operator', 'campaign', 'finance', 'support'];

export const may = ({ role }: Person, right: Right): boolean =>
  (RIGHTS[right] as readonly Role[]).includes(role);

export const isStaff = ({ role }: Person): boolean => STAFF.includes(role);
