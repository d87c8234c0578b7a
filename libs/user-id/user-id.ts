/**
 * The form of `sub` as identity providers write it: `auth0|5f7c…`, `user@shop.example`,
 * `urn:user:7`. It has no spaces and no control characters, so the texts in Redis separate ids by
 * spaces, and lines by line feeds. `.` and `..` are steps of a path that clients resolve before they
 * send it, so that nobody could ask for the wallet of such a user.
 */
const USER_ID = /^(?!\.{1,2}$)[\x21-\x7e]{1,128}$/;

/** The rule for documents, as the source of a regular expression. */
export const USER_ID_PATTERN = USER_ID.source;

/** The rule for people, as the error for a field says it. */
export const USER_ID_RULE = 'must be 1 to 128 visible ASCII characters, and neither . nor ..';

/** Returns whether a value is the id of a user, or of any owner of an account. */
export function isUserId(value: unknown): value is string {
  return typeof value === 'string' && USER_ID.test(value);
}
