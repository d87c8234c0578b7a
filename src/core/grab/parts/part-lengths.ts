import { Injectable, Optional } from '@nestjs/common';
import { type Place, type Standing, Standings } from '../../../../libs/redis-scripts';

/** A length older than this is read again before the API answers "sold out". */
const FRESH_MS = 100;

const RAINS_MAX = 10_000;

interface Sight {
  readonly left: number;
  /** The moment of the question: packets may have come since then. */
  readonly askedAtMs: number;
}

interface Rain {
  readonly sights: (Sight | undefined)[];
  /** Parts whose server did not answer the last question. */
  readonly silent: Set<number>;
  reading?: Reading;
}

interface Reading {
  readonly sinceMs: number;
  readonly standings: Promise<Standing[]>;
}

export interface Sighting {
  /** `left` is undefined while nothing can be drawn. */
  isAnswered(left: number | undefined): void;
  isRefused(): void;
}

/**
 * The number of packets left in the parts of rains, as far as this process has seen: every answer
 * to a draw brings that of its part. A tap that finds all parts empty looks at those that were not
 * asked lately. All callers of one moment share a look, so the crowd after a rain costs little.
 */
@Injectable()
export class PartLengths {
  private readonly rains = new Map<string, Rain>();

  constructor(
    private readonly standings: Standings,
    @Optional() private readonly freshMs: number = FRESH_MS,
  ) {}

  /** Call this before the part is asked. */
  beginSighting({ id, part }: Place): Sighting {
    const rain = this.rainOf(id);
    const askedAtMs = performance.now();
    return {
      isAnswered: (left) => {
        rain.silent.delete(part);
        if (left !== undefined && askedAtMs >= (rain.sights[part]?.askedAtMs ?? 0))
          rain.sights[part] = { left, askedAtMs };
      },
      isRefused: () => void rain.silent.add(part),
    };
  }

  /**
   * The part with the most packets, except that of the user and those that did not answer. One that was never
   * seen may have any number. Undefined if all were last seen empty. Users of different parts look in
   * different orders.
   */
  longestBut({ id, part: from }: Place, parts: number): number | undefined {
    const { sights, silent } = this.rainOf(id);
    let [longest, most]: [number | undefined, number] = [undefined, 0];
    for (let step = 1; step < parts; step++) {
      const part = (from + step) % parts;
      const left = sights[part]?.left ?? Infinity;
      if (left > most && !silent.has(part)) [longest, most] = [part, left];
    }
    return longest;
  }

  areEmpty(places: readonly Place[]): boolean {
    const { sights } = this.rainOf(places[0]!.id);
    return places.every(({ part }) => sights[part]?.left === 0);
  }

  /** The packets in parts that answer, except part 0, whose packets are given to users who wait. */
  async outsideFirst(places: readonly Place[]): Promise<number> {
    await this.refresh(places).catch(() => false);
    const { sights, silent } = this.rainOf(places[0]!.id);
    return sights.reduce(
      (sum, sight, part) => sum + (part === 0 || silent.has(part) ? 0 : (sight?.left ?? 0)),
      0,
    );
  }

  /**
   * Makes sure that every part was seen within {@link FRESH_MS}. Returns true if all are open.
   * @throws if a part does not answer
   */
  async refresh(places: readonly Place[]): Promise<boolean> {
    const sinceMs = performance.now() - this.freshMs;
    const { sights } = this.rainOf(places[0]!.id);
    if (places.every(({ part }) => (sights[part]?.askedAtMs ?? -Infinity) > sinceMs)) return true;
    return (await this.readSince(sinceMs, places)).every((standing) => isOpen(standing, places.length));
  }

  /**
   * True if every part has stopped handing out packets, by the clock of its server, which may be
   * late.
   * @throws if a part does not answer
   */
  async areOver(places: readonly Place[]): Promise<boolean> {
    const sinceMs = performance.now() - this.freshMs;
    return (await this.readSince(sinceMs, places)).every(isOver);
  }

  private readSince(sinceMs: number, places: readonly Place[]): Promise<Standing[]> {
    const rain = this.rainOf(places[0]!.id);
    if (!rain.reading || rain.reading.sinceMs < sinceMs)
      rain.reading = { sinceMs: performance.now(), standings: this.readAll(places) };
    return rain.reading.standings;
  }

  private async readAll(places: readonly Place[]): Promise<Standing[]> {
    const readings = places.map((place) => this.readPlace(place, places.length));
    await Promise.allSettled(readings);
    return Promise.all(readings);
  }

  private async readPlace(place: Place, parts: number): Promise<Standing> {
    const sighting = this.beginSighting(place);
    try {
      const standing = await this.standings.readStanding(place);
      const isReady = isOpen(standing, parts);
      sighting.isAnswered(isReady ? freeIn(standing) : undefined);
      return standing;
    } catch (error) {
      sighting.isRefused();
      throw error;
    }
  }

  private rainOf(activityId: string): Rain {
    let rain = this.rains.get(activityId);
    if (rain) return rain;
    this.rains.set(activityId, (rain = { sights: [], silent: new Set() }));
    if (this.rains.size > RAINS_MAX) this.rains.delete(this.rains.keys().next().value!);
    return rain;
  }
}

/** A packet is kept for each user who waits. Both are of one moment: packets may come back together with their users. */
const freeIn = ({ packetsLeft, waiting }: Standing): number => Math.max(0, packetsLeft - waiting);

/** A part that waits for announced packets is not open, whatever its list holds. */
const isOpen = ({ status, parts, isAwaiting }: Standing, dealtOver: number): boolean =>
  status === 'open' && parts === dealtOver && !isAwaiting;

const isOver = ({ status, nowMs, closesAtMs }: Standing): boolean =>
  status === 'closing' || status === 'closed' || (status === 'open' && nowMs >= closesAtMs);
