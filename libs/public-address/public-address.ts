import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import * as ipaddr from 'ipaddr.js';

/** Strangers must not send us to this address, or to one that this name leads to. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';

  constructor() {
    super('The address is not a public one.');
  }
}

/**
 * Whether an address belongs to the public internet: not to this host, a private network, a link (where clouds keep their
 * metadata), a carrier, documentation or a group, and no IPv6 address that carries an IPv4 one such as NAT64 or 6to4.
 * An IPv4 address mapped into IPv6 is judged as the latter. What is no address is not public.
 */
export function isPublicAddress(text: string): boolean {
  return ipaddr.isValid(text) && ipaddr.process(text).range() === 'unicast';
}

/**
 * The lookup for a connection. It connects to the very addresses that were judged here, so that a name cannot lead
 * elsewhere in between. A name is refused as a whole if one of its addresses is not public: no honest name has one. Where
 * the host is an address already, nothing is looked up: judge that with `isPublicAddress`.
 */
export const lookupPublic: LookupFunction = (hostname, { all, family }, callback) => {
  publicAddressesOf(hostname, family).then(
    (found) => (all ? callback(null, found) : callback(null, found[0]!.address, found[0]!.family)),
    (error: NodeJS.ErrnoException) => callback(error, []),
  );
};

async function publicAddressesOf(
  hostname: string,
  family: LookupOptions['family'],
): Promise<LookupAddress[]> {
  const found = await lookupOnce(hostname, family);
  if (found.length === 0 || !found.every(({ address }) => isPublicAddress(address)))
    throw new AddressRefused();
  return found;
}

const underWay = new Map<string, Promise<LookupAddress[]>>();

/**
 * A lookup holds one of the four threads of the process until a name server answers. Many connections to a name whose
 * server is silent share one thread.
 */
function lookupOnce(hostname: string, family: LookupOptions['family']): Promise<LookupAddress[]> {
  const key = `${hostname} ${family}`;
  let found = underWay.get(key);
  if (!found) {
    found = lookup(hostname, { all: true, family }).finally(() => underWay.delete(key));
    underWay.set(key, found);
  }
  return found;
}
