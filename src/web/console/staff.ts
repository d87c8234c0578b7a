export type Role = 'user' | 'server' | 'operator' | 'campaign' | 'finance' | 'support';

/** Who is signed in, as their token says. The API judges it; here it decides what is worth showing. */
export interface Person {
  readonly sub: string;
  readonly role: Role;
}

/** What parts of the console are for, as in the table of docs/security.md. */
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

/** Undefined for what is no token. Nothing is verified here. */
export function personOf(token: string): Person | undefined {
  try {
    const payload = token.split('.')[1]!.replace(/-/g, '+').replace(/_/g, '/');
    const { sub, role = 'user' } = JSON.parse(atob(payload)) as Partial<Person>;
    return sub === undefined ? undefined : { sub, role };
  } catch {
    return undefined;
  }
}
