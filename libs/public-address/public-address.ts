import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import * as ipaddr from 'ipaddr.js';

/** A name that leads, or an address that is, where strangers must not send us. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';

  constructor() {
    super('The address is not a public one.');
  }
}

/**
 * Whether an address belongs to the public internet: not to this host, a private network, a link (where clouds keep their
 * metadata), a carrier, documentation or a group, and no IPv6 address that carries an IPv4 one such as NAT64 or 6to4.
 * An IPv4 address mapped into IPv6 is judged as what it is. What is no address is not public.
 */
export function isPublicAddress(text: string): boolean {
  return ipaddr.isValid(text) && ipaddr.process(text).range() === 'unicast';
}

/**
 * What a connection looks its name up with. It connects to the very addresses that were judged here, so that a name cannot
 * change its mind in between. A name of which one address is not public is refused as a whole: no honest one is like that.
 * Where the host is an address already, nobody looks anything up: judge that with `isPublicAddress`.
 */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  const all: LookupOptions & { all: true } = { ...options, all: true };
  lookup(hostname, all, (error, found: LookupAddress[]) => {
    const [first] = found ?? [];
    if (error) return callback(error, []);
    if (!first || !found.every(({ address }) => isPublicAddress(address)))
      return callback(new AddressRefused(), []);
    if (options.all) callback(null, found);
    else callback(null, first.address, first.family);
  });
};
