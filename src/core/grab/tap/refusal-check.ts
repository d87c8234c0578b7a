import { Injectable } from '@nestjs/common';
import type { TapFacts } from '../confirm/claim.repository';
import { ClaimLookup } from '../confirm/claim-lookup';
import { activityLoading, noSuchActivity, rowsArchived, WindowEnd } from '../../activity';
import { dispenserAway } from '../draw/draw.error';
import type { DrawnPacket, DrawResult, Tap } from '../draw/draw-result';
import { DrawService } from '../draw/draw.service';
import { MissingActivities } from '../draw/missing-activities';
import type { GrabOutcome } from './grab-outcome';

type Refusal = Exclude<DrawResult['outcome'], DrawnPacket | { kind: 'not-loaded' }>;

type KnownFacts = TapFacts & Required<Pick<TapFacts, 'activity'>>;

/** Answers users who have drawn nothing, where Redis may have forgotten something. */
@Injectable()
export class RefusalCheck {
  constructor(
    private readonly draws: DrawService,
    private readonly lookup: ClaimLookup,
    private readonly missing: MissingActivities,
    private readonly windowEnd: WindowEnd,
  ) {}

  /**
   * Keeps a refusal, unless Redis may have forgotten that this user has won, or packets.
   * @throws activityNotFound, activityArchived, activityLoading, dispenserAway, lookupsFull
   */
  async checkRefusal(tap: Tap, { outcome, source }: DrawResult<Refusal>): Promise<GrabOutcome> {
    const { activityId } = tap;
    if (outcome.kind === 'over') {
      await this.requireOver(activityId);
      return this.checkRefusal(tap, { outcome: { kind: 'closed' }, source });
    }
    if (outcome.kind === 'not-open') return outcome;
    const isWhole = await this.isWhole(activityId);
    if (isWhole && source.knowsWinner()) return outcome;
    const facts = await this.requireFacts(tap);
    const final = finalOutcome(facts);
    if (final) return final;
    if (!isWhole)
      throw activityLoading('Redis is still receiving its packets; tap again.', { retryAfterSeconds: 1 });
    if (outcome.kind === 'sold-out' && !source.isTrusted())
      await this.requireAllLoaded(activityId, facts.activity);
    return outcome;
  }

  /** @throws dispenserAway */
  private async isWhole(activityId: string): Promise<boolean> {
    try {
      return await this.draws.isWhole(activityId);
    } catch (cause) {
      throw dispenserAway('Redis did not confirm that it has all packets; tap again.', {
        retryAfterSeconds: 1,
        cause,
      });
    }
  }

  /**
   * The clock of Redis may be ahead for a moment; then a user may still win later.
   * @throws dispenserAway
   */
  private async requireOver(activityId: string): Promise<void> {
    const isOver = await this.windowEnd.isOver(activityId).catch((cause: unknown) => {
      throw dispenserAway('Whether the activity is over could not be read from Postgres; tap again.', {
        retryAfterSeconds: 1,
        cause,
      });
    });
    if (!isOver) throw dispenserAway('The activity is about to end; try again.', { retryAfterSeconds: 1 });
  }

  /** @throws activityLoading, dispenserAway */
  private async requireAllLoaded(activityId: string, { packetCount }: KnownFacts['activity']): Promise<void> {
    const lastLoaded = await this.draws.lastLoaded(activityId).catch((cause: unknown) => {
      throw dispenserAway('Which packets Redis has could not be read; tap again.', {
        retryAfterSeconds: 1,
        cause,
      });
    });
    if (lastLoaded < packetCount) {
      void this.missing.loadSoon(activityId);
      throw activityLoading('Redis is still receiving its packets; tap again.', { retryAfterSeconds: 1 });
    }
  }

  /** @throws activityNotFound, even if Redis knows what Postgres has lost; activityArchived */
  async requireFacts({ activityId, userId }: Tap): Promise<KnownFacts> {
    const { activity, packet } = await this.lookup.factsOf(activityId, userId);
    if (!activity) throw noSuchActivity(activityId);
    if (activity.isArchived) throw rowsArchived(activityId);
    return { activity, packet };
  }

  /**
   * Answers for an activity that Redis does not know, or to which packets are being added. An
   * active one is loaded, because a user asks for it. Undefined once it is, so that the user draws
   * again.
   *
   * @throws activityNotFound, activityLoading
   */
  async outcomeWithoutRedis(tap: Tap): Promise<GrabOutcome | undefined> {
    const { activityId } = tap;
    if (await this.missing.arrives(activityId)) return undefined;
    const final = finalOutcome(await this.requireFacts(tap));
    if (final) return final;
    if (await this.missing.loadSoon(activityId)) return undefined;
    throw activityLoading('Redis is still receiving its packets; tap again.', { retryAfterSeconds: 1 });
  }
}

/** Undefined while the activity is active and the user has no packet of it. */
function finalOutcome({ activity, packet }: KnownFacts): GrabOutcome | undefined {
  if (packet) return { kind: 'already', packet };
  return activity.status === 'active' ? undefined : { kind: 'closed' };
}
