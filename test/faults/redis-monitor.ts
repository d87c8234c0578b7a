import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Redis } from 'ioredis';
import { type Line, listen } from './monitor-lines';
import type { Snapshot } from './part-order';
import { RedisOrder } from './redis-order';

/** Reads all data that {@link RedisOrder} follows, at one moment in the order of MONITOR. */
const SNAPSHOT = `
local seen, found = {}, {}
for _, key in ipairs(redis.call('KEYS', 'rp:{*}:*:*')) do
  local stem, shard, id = string.match(key, '^(rp:{(%d+)[-%w]*}:(%d+):)')
  if stem and not seen[stem] then
    seen[stem] = true
    found[#found + 1] = { id, tonumber(shard), redis.call('HGET', stem .. 'state', 'status') or '', redis.call('LLEN', stem .. 'packets'),
      redis.call('HKEYS', stem .. 'claims'), redis.call('ZRANGE', stem .. 'waitlist', 0, -1, 'WITHSCORES') }
  end
end
return found`;

type Row = [id: string, shard: number, status: string, free: number, holders: string[], waiters: string[]];

interface Marker {
  readonly token: string;
  readonly seen: () => void;
  /** Lines after the marker, kept until the answer has arrived as well. */
  readonly later: Line[];
}

export interface Watch {
  readonly order: Pick<RedisOrder, 'forget' | 'faultsOf' | 'cameBackAtMs' | 'askedFor' | 'looksAt'>;
  settle(): Promise<string[]>;
  wasBlind(fromMs: number, toMs: number): boolean;
}

/** Follows a Redis by MONITOR, through its restarts. */
export class RedisMonitor implements Watch {
  readonly order = new RedisOrder();
  private readonly blindness: { readonly fromMs: number; toMs: number }[] = [];
  private url = '';
  private asking?: Redis;
  private listening?: Socket;
  private gone = new Promise<never>(() => undefined);
  private marker?: Marker;
  private attaching = Promise.resolve();
  private isBlind = true;
  private isMarked = false;
  private lastLineAtMs = 0;

  /** Begins to follow a server. Once this resolves, nothing that is sent to it is missed. */
  attach(url: string): Promise<void> {
    const before = this.attaching.catch(() => undefined);
    return (this.attaching = before.then(() => this.attachNow(url)));
  }

  private async attachNow(url: string): Promise<void> {
    this.detach();
    this.url = url;
    this.asking = new Redis(url, { maxRetriesPerRequest: 1, retryStrategy: () => null });
    this.asking.on('error', () => undefined);
    const listening = await listen(url, (line) => this.hear(line));
    this.listening = listening;
    this.gone = once(listening, 'close').then(() => {
      if (this.listening === listening) this.detach();
      throw new Error('Redis has gone away');
    });
    this.gone.catch(() => undefined);
    this.order.restart(await this.snapshot());
    this.catchUp();
    this.isBlind = false;
    this.blindness.at(-1)!.toMs = Date.now();
  }

  detach(): void {
    if (!this.isBlind || this.blindness.length === 0)
      this.blindness.push({ fromMs: this.lastLineAtMs, toMs: Infinity });
    this.isBlind = true;
    this.marker = undefined;
    this.asking?.disconnect();
    this.listening?.destroy();
    this.asking = undefined;
    this.listening = undefined;
  }

  /** Returns differences between the followed state and Redis: those are bugs of the campaign. */
  async settle(): Promise<string[]> {
    await this.attaching.catch(() => undefined);
    if (this.isBlind) await this.attach(this.url);
    const snapshots = await this.snapshot();
    const differences = this.order.differences(snapshots);
    this.order.restart(snapshots);
    this.catchUp();
    return differences;
  }

  /** True if a command may have been missed between these instants, by the clock of this host. */
  wasBlind(fromMs: number, toMs: number): boolean {
    return this.blindness.some((blind) => blind.fromMs <= toMs && blind.toMs >= fromMs);
  }

  private hear(line: Line): void {
    this.lastLineAtMs = Date.now();
    const { marker } = this;
    if (marker && line[1].at(-1) === marker.token) marker.seen();
    else if (marker && this.isMarked) marker.later.push(line);
    else if (!this.isBlind) this.order.see(...line);
  }

  /** Takes a snapshot. Later lines are held back until {@link catchUp}. */
  private async snapshot(): Promise<Snapshot[]> {
    const token = randomUUID();
    this.isMarked = false;
    const passed = new Promise<void>((resolve) => {
      const seen = () => {
        this.isMarked = true;
        resolve();
      };
      this.marker = { token, seen, later: [] };
    });
    const answered = this.asking!.eval(SNAPSHOT, 0, token);
    const [rows] = await Promise.race([Promise.all([answered, passed]), this.gone]);
    return (rows as Row[]).map(([activityId, shard, status, free, holders, waiters]) => ({
      activityId,
      shard,
      status: status === '' ? undefined : status,
      free,
      holders,
      waiters: Array.from(
        { length: waiters.length / 2 },
        (_, i) => [waiters[2 * i]!, Number(waiters[2 * i + 1])] as const,
      ),
    }));
  }

  private catchUp(): void {
    const { later } = this.marker!;
    this.marker = undefined;
    this.isMarked = false;
    for (const line of later) this.order.see(...line);
  }
}
