import { isIP } from 'node:net';
import { type Fault, must } from '../problem';
import { isPublicAddress } from './public-address';

export const URL_LENGTH_MAX = 2_048;

/**
 * Returns the fault of a URL. Names are not resolved here: an address is judged at each connection,
 * as it may change.
 * @param privateAddresses allows addresses that are not public, and HTTP without TLS
 */
export function urlFault(text: string, privateAddresses: boolean): Fault | undefined {
  if (text.length > URL_LENGTH_MAX || !URL.canParse(text))
    return must.beA('url', `must be a URL of at most ${URL_LENGTH_MAX} characters`);
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== 'https:' && !(privateAddresses && protocol === 'http:')) return must.beA('https-url');
  if (username !== '' || password !== '') return must.beA('url-without-password');
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (!privateAddresses && isIP(address) !== 0 && !isPublicAddress(address)) return must.beA('public-url');
  return undefined;
}
