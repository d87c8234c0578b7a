import { Injectable } from '@nestjs/common';
import { failpoint } from '../../../../libs/failpoint';
import {
  aboutDraw,
  type DrawOutcome,
  homeAmong,
  type PartAnswer,
  type PartDraw,
  type PartOutcome,
  type Place,
  Reservations,
} from '../../../../libs/redis-scripts';
import { RedisTrust } from '../../dispenser';
import type { DrawResult, DrawSource, Tap } from '../draw/draw-result';
import { type DealtDraws, type DrawCall, DrawService } from '../draw/draw.service';
import { PartLengths } from './part-lengths';

const REMEMBERED_MAX = 10_000;

const SENT_ON_MAX = 2;

/** A user whom one part has sent on this often starts again. */
const NOTES_MAX = 64;

type PartTap = Tap & Pick<PartDraw, 'parts' | 'sendTo' | 'visits'>;

/** `left` is undefined while nothing can be drawn. */
interface PartReply extends Pick<PartAnswer, 'left'> {
  readonly outcome: PartOutcome;
}

/** One tap on its way through the parts of an activity. */
interface Way {
  readonly tap: Tap;
  readonly places: readonly Place[];
  /** The number of times that the tap has left each part. */
  readonly left: Map<number, number>;
  /** The notes of each part that was asked: it is asked once for all of them. */
  readonly notes: Map<number, readonly number[]>;
  /** The last place to which notes have led. The next note is written there. */
  end: Place;
  sentOn: number;
}

/**
 * Draws from activities that are dealt over parts. A user begins at home, and is sent on by notes
 * in the parts themselves. Existing notes come first, so that a retry finds what an earlier tap has
 * left. The lengths that this process remembers only decide where a new note leads: the first note
 * stands, so processes with different memories send a user the same way.
 *
 * This process also remembers over how many parts activities are dealt, which never changes. If
 * Redis does not know an activity, the memory may be about another one with the same id.
 */
@Injectable()
export class PartDraws implements DealtDraws {
  private readonly rains = new Map<string, readonly Place[]>();
  private readonly drawFromPart: DrawCall<PartTap, PartReply>;

  constructor(
    private readonly reservations: Reservations,
    private readonly lengths: PartLengths,
    private readonly trust: RedisTrust,
    private readonly draws: DrawService,
  ) {
    draws.drawDealtBy(this);
    this.drawFromPart = draws.sharedCalls(wayOf, async (shard, groups) => {
      const partDraws = groups.map(({ tap, userIds }) => ({ ...tap, userIds }));
      const answers = await reservations.drawFromParts(shard, partDraws);
      return answers.flatMap(({ outcomes, left }) => outcomes.map((outcome) => ({ outcome, left })));
    });
  }

  knows(activityId: string): boolean {
    return this.rains.has(activityId);
  }

  /** Returns true if this number of parts is news. */
  private learn(activityId: string, parts: number): boolean {
    const isNews = this.rains.get(activityId)?.length !== parts;
    if (isNews) this.rains.set(activityId, this.reservations.keys.placesOf({ id: activityId, parts }));
    if (this.rains.size > REMEMBERED_MAX) this.rains.delete(this.rains.keys().next().value!);
    return isNews;
  }

  shardsOf(activityId: string): number[] | undefined {
    return this.rains.get(activityId)?.map(({ shard }) => shard);
  }

  /** @throws as {@link drawFrom} */
  async draw(tap: Tap): Promise<DrawResult> {
    const { activityId } = tap;
    const places = this.rains.get(activityId)!;
    const known = await this.drawFrom(places, tap);
    if (known.outcome.kind !== 'not-loaded') return known;
    const { shard } = places[0]!;
    const outcome = await this.draws.drawFromShard(shard, tap);
    if (outcome.kind === 'parts')
      return this.learn(activityId, outcome.parts) ? this.drawFrom(this.rains.get(activityId)!, tap) : known;
    this.rains.delete(activityId);
    return { outcome, source: this.draws.sources[shard]! };
  }

  /** @throws as {@link drawFrom} */
  learnAndDraw(tap: Tap, parts: number): Promise<DrawResult> {
    this.learn(tap.activityId, parts);
    return this.drawFrom(this.rains.get(tap.activityId)!, tap);
  }

  /**
   * @param places the parts of the activity
   * @throws if a part that may have packets does not answer, or other users were faster each time
   */
  async drawFrom(places: readonly Place[], tap: Tap): Promise<DrawResult> {
    const home = homeAmong(places, tap.userId);
    const way: Way = { tap, places, left: new Map(), notes: new Map(), end: home, sentOn: 0 };
    for (let round = 0; round <= SENT_ON_MAX; round++) {
      const drawn = await this.follow(way);
      const { kind } = drawn.outcome;
      if (kind === 'over') await this.requireOver(places);
      if (kind !== 'sold-out') return drawn;
      if (!(await this.lengths.refresh(places))) return this.resultAt(way, home, { kind: 'not-loaded' });
      if (this.lengths.areEmpty(places)) return this.resultAt(way, home, drawn.outcome);
      if (way.sentOn >= SENT_ON_MAX) break;
    }
    if (notesOf(way, way.end).length >= NOTES_MAX) await this.beginAnew(way, home);
    throw new Error('Other users were faster, and there are packets elsewhere.');
  }

  /**
   * Removes the notes of a user who holds nothing on their way, so that their next tap may go
   * anywhere. The first note at home stays: Postgres is asked about users who were ever sent on.
   */
  private async beginAnew(way: Way, home: Place): Promise<void> {
    const { tap, places } = way;
    const { userId } = tap;
    const part = notesOf(way, home)[0]!;
    const others = places.filter((place) => place !== home);
    await Promise.all(others.map((place) => this.reservations.noteSentOn(place, { userId, part }, 'none')));
    await this.reservations.noteSentOn(home, { userId, part }, 'known');
  }

  /** "Over" is not answered while a user may still win in a part whose clock is late. */
  private async requireOver(places: readonly Place[]): Promise<void> {
    if (!(await this.lengths.areOver(places))) throw new Error('Another part is still open.');
  }

  /** Follows the notes to their end, and writes a new one there if that place is empty. */
  private async follow(way: Way): Promise<DrawResult> {
    for (;;) {
      let notes = notesOf(way, way.end);
      if (notes.length === visitsOf(way)) {
        const sendTo = this.nextOf(way);
        const outcome = await this.drawAtEnd(way, sendTo);
        if (outcome.kind !== 'sent') return this.resultAt(way, way.end, outcome);
        way.notes.set(way.end.part, (notes = [...notes, ...outcome.parts]));
        if (outcome.parts[0] === sendTo) way.sentOn += 1;
      }
      const next = way.places[notes[visitsOf(way)]!];
      if (!next) return this.resultAt(way, way.end, { kind: 'not-loaded' });
      await failpoint('grab.between-parts');
      way.left.set(way.end.part, visitsOf(way) + 1);
      way.end = next;
    }
  }

  private nextOf(way: Way): number | undefined {
    const isLong = notesOf(way, way.end).length >= NOTES_MAX;
    if (isLong || way.sentOn >= SENT_ON_MAX) return undefined;
    return this.lengths.longestBut(way.end, way.places.length);
  }

  private async drawAtEnd(way: Way, sendTo: number | undefined): Promise<PartOutcome> {
    const { tap, places, end } = way;
    const sighting = this.lengths.beginSighting(end);
    const partTap = { ...tap, parts: places.length, sendTo, visits: visitsOf(way) };
    try {
      const { outcome, left } = await this.drawFromPart(end.shard, partTap);
      sighting.isAnswered(left);
      return outcome;
    } catch (error) {
      sighting.isRefused();
      throw error;
    }
  }

  private resultAt(
    { places, left }: Way,
    { shard }: Place,
    outcome: Exclude<DrawOutcome, { kind: 'parts' }>,
  ): DrawResult {
    return { outcome, source: new PartSource(shard, places, left.size > 0, this.trust) };
  }
}

/** A part knows only winners that it has not sent on: others may hold a packet in any part. */
class PartSource implements DrawSource {
  constructor(
    readonly shard: number,
    private readonly places: readonly Place[],
    private readonly wasSent: boolean,
    private readonly trust: RedisTrust,
  ) {}

  knowsWinner(): boolean {
    return !this.wasSent && this.isTrusted();
  }

  isTrusted(): boolean {
    return this.places.every(({ shard }) => this.trust.trusts(shard));
  }

  namesRightly(): boolean {
    return this.wasSent ? this.isTrusted() : this.trust.trusts(this.shard);
  }

  isSameHistory(): boolean {
    return this.trust.hasSameHistory(this.shard);
  }
}

const wayOf = (tap: PartTap): string => `${aboutDraw(tap)} over ${tap.parts} ${tap.sendTo} ${tap.visits}`;

const visitsOf = ({ left, end }: Way): number => left.get(end.part) ?? 0;

const notesOf = ({ notes }: Way, { part }: Place): readonly number[] => notes.get(part) ?? [];
