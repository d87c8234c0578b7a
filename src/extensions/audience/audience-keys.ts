import { defineTapOption, type TapOptions } from '../../core/grab';
import { tooManyPasswords } from './audience.error';
import { digestIn, encodedPassword, ENCODED_LENGTH_MAX } from './password';

const SHARE_CODE_LENGTH = 22;

/** Frames may contain any text, and Postgres does not accept every text as JSON. */
const SHARE_CODE = /^[\w-]{22}$/;

defineTapOption({
  header: 'Share-Code',
  field: 'shareCode',
  isKey: true,
  description: 'The share code of an activity that only users with its link may know of.',
  schema: { type: 'string', maxLength: SHARE_CODE_LENGTH },
  problems: [],
});

defineTapOption({
  header: 'Packet-Password',
  field: 'password',
  headerOf: encodedPassword,
  isKey: true,
  description:
    'The password of an activity that only users with the password may know of: percent-encoded UTF-8, but plain ' +
    'text in frames. It needs a token. After ten wrong passwords of a user in a minute, further ones are answered 429.',
  schema: { type: 'string', maxLength: ENCODED_LENGTH_MAX },
  problems: [tooManyPasswords],
});

/** The proof that a user's keys give. It is compared, and never stored. */
export interface Proofs {
  readonly shareCode?: string;
  readonly passwordDigest?: string;
}

export function proofsIn(keys: TapOptions): Proofs {
  const { 'share-code': code, 'packet-password': password } = keys;
  return {
    ...(typeof code === 'string' && SHARE_CODE.test(code) && { shareCode: code }),
    ...(password !== undefined && { passwordDigest: digestIn(password) }),
  };
}

export const bringsPassword = (keys: TapOptions): boolean => keys['packet-password'] !== undefined;
