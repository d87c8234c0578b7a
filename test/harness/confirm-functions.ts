import { confirmFile } from '../../src/core/grab/confirm/schema';

const signatureOf = (name: string, more = ''): string =>
  `${name}_${confirmFile.version}(bigint[],integer[],text[],${more}bigint[],bigint[])`;

export const CONFIRM_ALL = signatureOf('confirm_all');
export const CONFIRM_FREE = signatureOf('confirm_free');
export const CONFIRM_HELD = signatureOf('confirm_held');
export const CONFIRM_LIMITED = signatureOf('confirm_limited', 'boolean[],');
