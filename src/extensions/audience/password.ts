import { createHash } from 'node:crypto';

export const PASSWORD_LENGTH_MAX = 64;

/** Each character percent-encoded, at its longest. */
export const ENCODED_LENGTH_MAX = PASSWORD_LENGTH_MAX * '%F0%9F%A7%A7'.length;

/** What people type, or leave out, without seeing it: spaces, joiners, and how an emoji is drawn. */
const UNSEEN = /[\p{White_Space}\p{Default_Ignorable_Code_Point}]/gu;

const seen = (text: string): string => text.normalize('NFKC').replace(UNSEEN, '');

/**
 * The same for texts that people take for the same password. Unseen characters go first: they keep marks from
 * their letters, and decide how a sigma is written.
 */
const plain = (password: string): string =>
  seen(seen(password).normalize('NFKC').toUpperCase().toLowerCase());

export const digestOf = (password: string): string =>
  createHash('sha256').update(plain(password)).digest('hex');

const HALF_A_CHARACTER = /\p{Cs}/u;

/** The header for the password of a frame. A text that UTF-8 cannot hold is not a password. */
export const encodedPassword = (value: unknown): unknown =>
  typeof value === 'string' && !HALF_A_CHARACTER.test(value) ? encodeURIComponent(value) : null;

/** The digest of a percent-encoded password. Undefined if it is not one. */
export function digestIn(header: unknown): string | undefined {
  if (typeof header !== 'string' || header.length > ENCODED_LENGTH_MAX) return undefined;
  try {
    return digestOf(decodeURIComponent(header));
  } catch {
    return undefined;
  }
}
