import { LRUCache } from 'lru-cache';
import { type Dealt, type Standing, Standings } from '../../../../libs/redis-scripts';

/** Milliseconds for which a rain that was found complete is taken to be complete. */
const STANDS_MS = 100;
const REMEMBERED_MAX = 1_000;

/**
 * Checks whether Redis still has all keys of a rain. A single one may be deleted by hand or by another
 * program, and an empty list of packets looks like one that was deleted: neither "sold-out" nor "closed" may
 * be answered then, and the sweep reloads the rain. All who ask share a check, so losers cost a rain ten
 * checks a second and process.
 */
export class WholeRains {
  private readonly whole = new LRUCache<string, true>({ max: REMEMBERED_MAX, ttl: STANDS_MS });
  private readonly checks = new Map<string, Promise<boolean>>();

  constructor(private readonly standings: Standings) {}

  has(activity: Dealt): boolean | Promise<boolean> {
    return this.whole.has(activity.id) || this.check(activity);
  }

  private check(activity: Dealt): Promise<boolean> {
    const { id } = activity;
    let check = this.checks.get(id);
    if (!check) {
      check = this.checkNow(activity).finally(() => this.checks.delete(id));
      this.checks.set(id, check);
    }
    return check;
  }

  private async checkNow(activity: Dealt): Promise<boolean> {
    const isWhole = isComplete(await this.standings.each(this.standings.keys.placesOf(activity)));
    if (isWhole) this.whole.set(activity.id, true);
    return isWhole;
  }
}

/** Packets that are free or held are all that were loaded; after the end, the claims are all that were written. */
function isComplete(places: readonly Standing[]): boolean {
  if (places.some(({ status }) => status === undefined)) return false;
  if (!places.every(({ status }) => status === 'open'))
    return places.every(({ held, claimed = 0 }) => held >= claimed);
  const there = places.reduce((sum, { packetsLeft, held }) => sum + packetsLeft + held, 0);
  return there >= Math.min(...places.map(({ packetCursor }) => packetCursor));
}
