/**
 * The form of `sub` as identity providers write it: `auth0|5f7c…`, `urn:user:7`. Texts in Redis
 * separate ids by spaces and lines by line feeds. `.` and `..` are steps of a path, which clients
 * resolve before they send it.
 */
const PERSON_ID = /^(?!\.{1,2}$)[\x21-\x7e]{1,128}$/;

/** The replacement for the id of a person who was forgotten. */
const PSEUDONYM = /^erased-[0-9a-f]{32}$/;

/** Nobody who acts may have a pseudonym as their id: they would take over what it owns. */
const USER_ID = /^(?!\.{1,2}$|erased-[0-9a-f]{32}$)[\x21-\x7e]{1,128}$/;

/** Of user ids and pseudonyms. */
export const PERSON_ID_PATTERN = PERSON_ID.source;

export const USER_ID_PATTERN = USER_ID.source;

export const USER_ID_RULE =
  'must be 1 to 128 visible ASCII characters, neither . nor .., and not the pseudonym of a person who was forgotten';

export const isPseudonym = (id: string): boolean => PSEUDONYM.test(id);

export function isUserId(value: unknown): value is string {
  return typeof value === 'string' && USER_ID.test(value);
}

/** A user id or a pseudonym, for those who only read. */
export function isPersonId(value: unknown): value is string {
  return typeof value === 'string' && PERSON_ID.test(value);
}
