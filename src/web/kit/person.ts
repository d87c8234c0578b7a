export type Role = 'user' | 'server' | 'operator' | 'campaign' | 'finance' | 'support';

/** The API verifies the token; here it only decides what to show. */
export interface Person {
  readonly sub: string;
  readonly role: Role;
}

/** Undefined when the text is no token. Nothing is verified here. */
export function personOf(token: string): Person | undefined {
  try {
    const payload = token.split('.')[1]!.replace(/-/g, '+').replace(/_/g, '/');
    const { sub, role = 'user' } = JSON.parse(atob(payload)) as Partial<Person>;
    return sub === undefined ? undefined : { sub, role };
  } catch {
    return undefined;
  }
}
