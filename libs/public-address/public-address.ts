import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { BlockList, isIPv6, type LookupFunction } from 'node:net';
import * as ipaddr from 'ipaddr.js';

/** Users must not be able to make us connect to this address, or to an address that this name resolves to. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';

  constructor() {
    super('The address is not a public one.');
  }
}

/** IPv6 Global Unicast (IANA), and IPv4 within IPv6. */
const GIVEN_OUT = new BlockList();
GIVEN_OUT.addSubnet('2000::', 3, 'ipv6');
GIVEN_OUT.addSubnet('::ffff:0:0', 96, 'ipv6');

/**
 * Returns whether an address belongs to the public internet. Private networks, links (where clouds keep their
 * metadata), and IPv6 that carries an IPv4 address, such as NAT64 or 6to4, do not. IPv4 mapped into IPv6 is
 * judged as IPv4. Text that is not an address is not public.
 */
export function isPublicAddress(text: string): boolean {
  if (isIPv6(text) && !GIVEN_OUT.check(text, 'ipv6')) return false;
  return ipaddr.isValid(text) && ipaddr.process(text).range() === 'unicast';
}

/**
 * The lookup for a connection, which uses exactly the addresses that were judged here, so that a
 * name cannot lead elsewhere in between. One address that is not public refuses the name. A host
 * that is an address causes no lookup: judge it with `isPublicAddress`.
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
 * A lookup holds one of the process's four threads until a name server answers. So all connections to the
 * same name share a lookup, and a silent name server takes only one thread.
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
