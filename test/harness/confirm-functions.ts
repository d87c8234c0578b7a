import { confirmFile } from '../../src/modules/grab/schema';

const signatureOf = (name: string): string =>
  `${name}_${confirmFile.version}(bigint[],integer[],text[],bigint[],bigint[])`;

export const CONFIRM_ALL = signatureOf('confirm_all');
export const CONFIRM_FREE = signatureOf('confirm_free');
export const CONFIRM_HELD = signatureOf('confirm_held');
