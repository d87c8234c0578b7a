/** More different keys than one process can serve in a second; what comes beyond is let through uncounted. */
const KEYS_MAX = 200_000;

/**
 * Counts requests per key in windows of one second, in the memory of this process. A fixed window lets twice the limit
 * pass across its edge; for shedding load that is precise enough, and a count is one lookup in a map.
 */
export class RateLimit {
  private windowSecond = 0;
  private counts = new Map<string, number>();

  constructor(private readonly perSecond: number) {}

  /** Counts one request and says whether it is within the limit. */
  admits(key: string, nowMs = Date.now()): boolean {
    this.enterWindow(Math.floor(nowMs / 1000));
    const count = (this.counts.get(key) ?? 0) + 1;
    if (count > this.perSecond) return false;
    if (count > 1 || this.counts.size < KEYS_MAX) this.counts.set(key, count);
    return true;
  }

  private enterWindow(second: number): void {
    if (second === this.windowSecond) return;
    this.windowSecond = second;
    this.counts = new Map();
  }
}

const IPV4_MAPPED = '::ffff:';

/** What counts as one client: an IPv4 address, or the /64 network that every IPv6 subscriber has to himself. */
export function addressKey(address: string): string {
  if (address.startsWith(IPV4_MAPPED)) return address.slice(IPV4_MAPPED.length);
  if (!address.includes(':')) return address;
  const [head = ''] = address.split('::');
  return head.split(':').slice(0, 4).join(':');
}
