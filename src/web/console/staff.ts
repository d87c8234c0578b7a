export type Role = 'user' | 'server' | 'operator' | 'campaign' | 'finance' | 'support';

/**
 * The signed-in user, as their token says. The API verifies it; here it only decides what to show.
 */
export interface Person {
  readonly sub: string;
  readonly role: Role;
}

/** The roles of each right in the console, as in the table of docs/security.md. */
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

/** Returns undefined when the text is no token. Nothing is verified here. */
export function personOf(token: string): Person | undefined {
  try {
    const payload = token.split('.')[1]!.replace(/-/g, '+').replace(/_/g, '/');
    const { sub, role = 'user' } = JSON.parse(atob(payload)) as Partial<Person>;
    return sub === undefined ? undefined : { sub, role };
  } catch {
    return undefined;
  }
}
