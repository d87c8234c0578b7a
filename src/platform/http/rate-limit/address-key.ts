const IPV4_MAPPED = '::ffff:';

/** What counts as one client: an IPv4 address, or the /64 network that every IPv6 subscriber has to himself. */
export function addressKey(address: string): string {
  if (address.startsWith(IPV4_MAPPED)) return address.slice(IPV4_MAPPED.length);
  if (!address.includes(':')) return address;
  const [head = ''] = address.split('::');
  return head.split(':').slice(0, 4).join(':');
}
