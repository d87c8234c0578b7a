import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { BlockList, isIPv6, type LookupFunction } from 'node:net';
import * as ipaddr from 'ipaddr.js';

/** Strangers must not make us connect to this address, or to one that this name leads to. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';

  constructor() {
    super('The address is not a public one.');
  }
}

/**
 * The part of IPv6 that public addresses are given out from (IANA, IPv6 Global Unicast), and IPv4
 * within IPv6.
 */
const GIVEN_OUT = new BlockList();
GIVEN_OUT.addSubnet('2000::', 3, 'ipv6');
GIVEN_OUT.addSubnet('::ffff:0:0', 96, 'ipv6');

/**
 * Returns whether an address belongs to the public internet. These do not: this host, private
 * networks, links (where clouds keep their metadata), carriers, documentation, groups, IPv6
 * addresses that are given to nobody, and those that carry an IPv4 address, such as NAT64 or 6to4.
 * An IPv4 address mapped into IPv6 is judged as the IPv4 address. Text that is no address is not
 * public.
 */
export function isPublicAddress(text: string): boolean {
  if (isIPv6(text) && !GIVEN_OUT.check(text, 'ipv6')) return false;
  return ipaddr.isValid(text) && ipaddr.process(text).range() === 'unicast';
}

/**
 * The lookup for a connection. The connection uses exactly the addresses that were judged here, so
 * that a name cannot lead elsewhere in between. A name is refused as a whole if one of its
 * addresses is not public: no honest name has one. If the host is an address already, no lookup
 * happens: judge that with `isPublicAddress`.
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
 * A lookup holds one of the process's four threads until a name server answers. So all connections
 * to one name share a lookup, and a silent name server takes one thread only.
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
