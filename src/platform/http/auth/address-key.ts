import { isIPv4, isIPv6 } from 'node:net';

/** Invalid addresses share one limit: a proxy may send many. */
const NO_ADDRESS = 'none';

const IPV4_MAPPED = '::ffff:';
const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;
const IN_BRACKETS = /^\[([^\]]*)\](?::\d*)?$/;
const WITH_PORT = /^([^:]*):\d*$/;

/**
 * Returns the key of one client: an IPv4 address, or the /64 network that every IPv6 subscriber has. Every
 * spelling gives the same key, because behind a proxy it may be the client's. Nearly all requests match the
 * first case, Node's own spelling.
 */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return NO_ADDRESS;
  const tail = address.startsWith(IPV4_MAPPED) ? address.slice(IPV4_MAPPED.length) : address;
  if (isIPv4(tail)) return tail;
  const bare = bareAddress(address);
  return ipv6Key(bare) ?? ipv4Key(bare) ?? NO_ADDRESS;
}

function bareAddress(address: string): string {
  const text = address.trim();
  const host = IN_BRACKETS.exec(text)?.[1] ?? WITH_PORT.exec(text)?.[1] ?? text;
  return host.split('%', 1)[0]!;
}

function ipv4Key(address: string): string | undefined {
  const key = IPV4.exec(address)?.slice(1).map(Number).join('.');
  return key !== undefined && isIPv4(key) ? key : undefined;
}

function ipv6Key(address: string): string | undefined {
  if (!isIPv6(address)) return undefined;
  const groups = groupsOf(address);
  if (isMapped(groups)) return groups.slice(6).flatMap(bytesOf).join('.');
  return `${hex(groups[0]!)}:${hex(groups[1]!)}:${hex(groups[2]!)}:${hex(groups[3]!)}::/64`;
}

function groupsOf(address: string): number[] {
  const [head = '', tail = ''] = address.split('::');
  const groups = groupsIn(head);
  const last = groupsIn(tail);
  while (groups.length + last.length < 8) groups.push(0);
  return groups.concat(last);
}

function groupsIn(part: string): number[] {
  const groups: number[] = [];
  if (part === '') return groups;
  for (const group of part.split(':')) {
    const [a, b, c, d] = group.includes('.') ? group.split('.').map(Number) : [];
    if (d === undefined) groups.push(parseInt(group, 16));
    else groups.push(a! * 256 + b!, c! * 256 + d);
  }
  return groups;
}

const isMapped = (groups: readonly number[]): boolean =>
  groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);

const hex = (group: number): string => group.toString(16);

const bytesOf = (group: number): number[] => [group >> 8, group & 0xff];
