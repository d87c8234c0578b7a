import { isIP } from 'node:net';
import { isPublicAddress } from './public-address';

export const URL_LENGTH_MAX = 2_048;

/**
 * Returns the fault of a URL. Names are not resolved here: an address is judged at each connection,
 * as it may change.
 * @param privateAddresses allows addresses that are not public, and HTTP without TLS
 */
export function urlFault(text: string, privateAddresses: boolean): string | undefined {
  if (text.length > URL_LENGTH_MAX || !URL.canParse(text))
    return `must be a URL of at most ${URL_LENGTH_MAX} characters`;
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== 'https:' && !(privateAddresses && protocol === 'http:')) return 'must start with https://';
  if (username !== '' || password !== '') return 'must not name a user or a password';
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (!privateAddresses && isIP(address) !== 0 && !isPublicAddress(address))
    return 'must be a public address';
  return undefined;
}
