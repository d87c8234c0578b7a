import { Injectable } from '@nestjs/common';
import { failpoint } from '../../../libs/failpoint';
import { type DrawOutcome, homeOf } from '../../../libs/redis-scripts';
import { DrawCalls, type PartReply } from './draw-calls';
import { PartLengths } from './part-lengths';

/** What a tap came to. Of an activity that is dealt over parts it says more. */
export type Drawn = Exclude<DrawOutcome, { kind: 'parts' }> & Partial<Where>;

interface Where {
  /** The part that has answered. */
  readonly part: number;
  readonly parts: number;
  /** The user was sent on, now or before: somebody else has to say whether they have won. */
  readonly wasSent: boolean;
}

/** Once for a tap that begins at home, twice more where it found nothing. */
const SENT_ON_MAX = 2;

/** One tap on its way through the parts of an activity. */
interface Way {
  readonly activityId: string;
  readonly userId: string;
  readonly parts: number;
  /** How often it has left each part. */
  readonly left: Map<number, number>;
  /** The last part to which notes have led, and where the next one is to be written. */
  end: number;
  sentOn: number;
}

/**
 * Draws from activities that are dealt over parts. A user begins at home, and is sent on by notes in the parts themselves: those that
 * are there already come first, so that a retry finds what an earlier tap has left. What this process remembers of the
 * lengths of lists only decides where a new note leads. Two processes that remember otherwise still send a user the same way:
 * the first note stands.
 */
@Injectable()
export class PartDraws {
  constructor(
    private readonly calls: DrawCalls,
    private readonly lengths: PartLengths,
  ) {}

  /** @throws when a part is away that may have packets, or others have been faster each time */
  async draw(activityId: string, userId: string, parts: number): Promise<Drawn> {
    const home = homeOf(activityId, userId, parts);
    const way: Way = { activityId, userId, parts, left: new Map(), end: home, sentOn: 0 };
    for (let look = 0; look <= SENT_ON_MAX; look++) {
      const drawn = await this.follow(way);
      if (drawn.kind === 'over') await this.requireOver(activityId, parts);
      if (drawn.kind !== 'sold-out') return drawn;
      if (!(await this.lengths.refresh(activityId, parts))) return at(way, home, { kind: 'not-loaded' });
      if (this.lengths.areEmpty(activityId, parts)) return at(way, home, drawn);
      if (way.sentOn >= SENT_ON_MAX) break;
    }
    throw new Error('Others were faster, and there are packets elsewhere.');
  }

  /** Nobody hears that it is over while somebody may still win where the clock is late. */
  private async requireOver(activityId: string, parts: number): Promise<void> {
    if (!(await this.lengths.areOver(activityId, parts))) throw new Error('Another part goes on.');
  }

  /** From the last part that was reached by notes to the end of them, where a new one is written if that part is empty. */
  private async follow(way: Way): Promise<Drawn> {
    for (;;) {
      const sendTo = this.nextOf(way);
      const reply = await this.drawAtEnd(way, sendTo);
      if (reply.kind !== 'sent') return at(way, way.end, reply);
      await failpoint('grab.between-parts');
      if (reply.part === sendTo) way.sentOn += 1;
      way.left.set(way.end, visitsOf(way) + 1);
      way.end = reply.part;
    }
  }

  private nextOf({ activityId, parts, end, sentOn }: Way): number | undefined {
    return sentOn < SENT_ON_MAX ? this.lengths.longestBut(end, activityId, parts) : undefined;
  }

  private async drawAtEnd(way: Way, sendTo: number | undefined): Promise<PartReply> {
    const { activityId, userId, parts, end: part } = way;
    const sight = this.lengths.looking(activityId, part);
    try {
      const visits = visitsOf(way);
      const reply = await this.calls.drawFromPart({ activityId, userId, parts, part, sendTo, visits });
      sight.isAnswered(reply.left);
      return reply;
    } catch (error) {
      sight.isRefused();
      throw error;
    }
  }
}

const visitsOf = ({ left, end }: Way): number => left.get(end) ?? 0;

const at = ({ parts, left }: Way, part: number, outcome: Exclude<DrawOutcome, { kind: 'parts' }>): Drawn => ({
  ...outcome,
  part,
  parts,
  wasSent: left.size > 0,
});
