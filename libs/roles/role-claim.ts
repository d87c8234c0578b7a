import { isRole, type Role, rightsOf } from './roles';

/** How an identity provider names roles in its tokens. */
export interface RoleNaming {
  /** The name of a claim, or a path through objects such as `realm_access.roles`. */
  readonly claim: string;
  /** Our role for each of the issuer's names. By default its names are ours. */
  readonly names?: Readonly<Record<string, Role>>;
}

/**
 * Returns the role in the claims of a token: a string, or the role in a list that includes the rights of all
 * others there. Lists may also hold names of other applications, which are ignored. A list may consist of
 * objects with a `name`, as Casdoor writes it, or be an object whose keys are the names, as Zitadel does. A
 * token that names no role is a user's.
 *
 * @returns undefined for a string that is not a role, and for roles of which none includes the others
 */
export function roleIn(claims: object, { claim, names }: RoleNaming): Role | undefined {
  const value = valueAt(claims, claim) ?? 'user';
  if (!isObject(value)) return toRole(value, names);
  const listed: unknown[] = Array.isArray(value) ? value.map(nameOf) : Object.keys(value);
  if (!Array.isArray(value) && listed.length === 0) return undefined;
  const roles = listed.map((name) => toRole(name, names)).filter((role) => role !== undefined);
  return roles.length === 0 ? 'user' : roles.find((role) => roles.every((other) => includes(role, other)));
}

/** A claim may have dots in its name, such as `https://shop.example/roles`. */
export function valueAt(claims: object, path: string): unknown {
  if (Object.hasOwn(claims, path)) return Reflect.get(claims, path);
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined),
      claims,
    );
}

const nameOf = (entry: unknown): unknown => (isObject(entry) && 'name' in entry ? entry.name : entry);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function toRole(name: unknown, names?: Readonly<Record<string, Role>>): Role | undefined {
  if (!names) return isRole(name) ? name : undefined;
  return typeof name === 'string' && Object.hasOwn(names, name) ? names[name] : undefined;
}

/** Everyone is a user as well. */
const includes = (role: Role, other: Role): boolean =>
  other === 'user' || rightsOf(other).every((right) => rightsOf(role).includes(right));

/**
 * Reads `operator=Rain.Operator,finance=Rain.Finance`.
 * @returns undefined when the text is faulty
 */
export function parseRoleNames(text: string): Readonly<Record<string, Role>> | undefined {
  const pairs = text.split(',').map((pair) => /^\s*(\w+)\s*=\s*(\S(?:.*\S)?)\s*$/.exec(pair));
  const names = new Map<string, Role>();
  for (const pair of pairs) {
    const [, role, name = ''] = pair ?? [];
    if (!isRole(role) || names.has(name)) return undefined;
    names.set(name, role);
  }
  return Object.fromEntries(names);
}
