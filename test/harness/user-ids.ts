import fc from 'fast-check';

/** Every character that an id may have. */
export const VISIBLE = Array.from({ length: 0x7f - 0x21 }, (_, i) => String.fromCharCode(0x21 + i));

/** Ids with a special meaning in one of the places that they pass through. */
export const AWKWARD_USER_IDS: readonly string[] = [
  // identity providers
  ...['auth0|5f7c1b2a9e', 'user@shop.example', 'urn:user:7', 'https://id.example/users/7?tenant=a#me'],
  // paths and queries
  ...['...', '.a', '..a', '%2e', '%2e%2e', '/', '//', '../..', 'a/entries', '?', '#', 'a&b=c', '+', ';'],
  ...['%', '%2F', '%252e', '%zz'],
  // Redis, Lua, and the texts that our scripts store
  ...['{00}', '{}', '1:1', '1:1!', '!', '*', 'v2', 'waitlist', 'sold-out', '0-0'],
  ...['%d', '%S+', '(', 'NX', '-inf'],
  // Postgres
  ...["'", "';--", '"', '\\', '\\.', '\\N', '{a,b}', 'NULL', 'null', '$1', '$$', '%s', '_'],
  // JavaScript
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'undefined'],
  ...['$&', '${x}', '\\u0000', '[]', '-1'],
  // the longest ones
  ...['~'.repeat(128), '%'.repeat(128), '/'.repeat(128), `"${'\\'.repeat(126)}"`],
];

/** Any id that a user may have. */
export const userId: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...AWKWARD_USER_IDS),
  fc
    .string({ unit: fc.constantFrom(...VISIBLE), minLength: 1, maxLength: 128 })
    .filter((id) => id !== '.' && id !== '..'),
);

export const userIds = (minLength: number, maxLength: number): fc.Arbitrary<string[]> =>
  fc.uniqueArray(userId, { minLength, maxLength });
