import { type Asked, type Look, RedisOrder } from './redis-order';
import { RedisMonitor, type Watch } from './redis-monitor';

/** The commands of a cluster's masters, in order for each master. A part is on one master at a time. */
class OrderOfAll {
  constructor(private readonly orders: () => RedisOrder[]) {}

  forget(): void {
    for (const order of this.orders()) order.forget();
  }

  faultsOf(activityId: string): string[] {
    return this.orders().flatMap((order) => order.faultsOf(activityId));
  }

  cameBackAtMs(activityId: string): number {
    return Math.max(0, ...this.orders().map((order) => order.cameBackAtMs(activityId)));
  }

  askedFor(activityId: string, userId: string): readonly Asked[] {
    return this.orders().flatMap((order) => order.askedFor(activityId, userId));
  }

  looksAt(activityId: string, shard: number): readonly Look[] {
    return this.orders().flatMap((order) => order.looksAt(activityId, shard));
  }
}

/**
 * Follows the masters of a cluster by MONITOR. A harm that changes the masters first makes it look away,
 * and look again afterwards; the time in between is not judged.
 */
export class ClusterMonitor implements Watch {
  readonly order = new OrderOfAll(() => [...this.monitors.values()].map(({ order }) => order));
  private readonly monitors = new Map<string, RedisMonitor>();
  private readonly blindness: { readonly fromMs: number; toMs: number }[] = [];
  private masters: readonly string[] = [];

  async look(masters: readonly string[]): Promise<void> {
    this.masters = masters;
    for (const url of masters) if (!this.monitors.has(url)) this.monitors.set(url, new RedisMonitor());
    await Promise.all(this.watching.map(([url, monitor]) => monitor.attach(url)));
    const blind = this.blindness.at(-1);
    if (blind) blind.toMs = Math.min(blind.toMs, Date.now());
  }

  lookAway(): void {
    this.blindness.push({ fromMs: Date.now(), toMs: Infinity });
    for (const monitor of this.monitors.values()) monitor.detach();
  }

  async settle(): Promise<string[]> {
    return (await Promise.all(this.watching.map(([, monitor]) => monitor.settle()))).flat();
  }

  wasBlind(fromMs: number, toMs: number): boolean {
    const isBlind = this.blindness.some((blind) => blind.fromMs <= toMs && blind.toMs >= fromMs);
    return isBlind || this.watching.some(([, monitor]) => monitor.wasBlind(fromMs, toMs));
  }

  private get watching(): [string, RedisMonitor][] {
    return [...this.monitors].filter(([url]) => this.masters.includes(url));
  }
}
