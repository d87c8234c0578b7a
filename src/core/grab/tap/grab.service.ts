import { Injectable } from '@nestjs/common';
import { within } from '../../../../libs/deadline';
import { type DrawOutcome, isHeldSince, type Reservation } from '../../../../libs/redis-scripts';
import { traced } from '../../../../libs/tracing';
import { AppConfig } from '../../../platform/config';
import { ClaimLookup } from '../confirm/claim-lookup';
import { type TapFacts, type Verdict } from '../confirm/claim.repository';
import { ConfirmService, type Decision } from '../confirm/confirm.service';
import { DrawService } from '../draw/draw.service';
import type { Drawn, Tap } from '../draw/ground';
import { activityLoading, noSuchActivity, rowsArchived, WindowEnd } from '../../activity';
import { backlogFull, dispenserAway } from '../grab.error';
import type { GrabOutcome } from './grab-outcome';
import { JournalBacklog } from '../journal/journal-backlog';
import { MissingActivities } from '../draw/missing-activities';
import { type Admitted, UNRESTRICTED } from '../admission/admission-rules';

/** A draw is repeated only if Redis has forgotten a packet's holder; each time it learns one. */
const DRAWS_MAX = 64;

/**
 * A grab: draw a packet in Redis, confirm it in Postgres, then answer.
 *
 * Redis takes the load, so users who win nothing never touch Postgres. Postgres is the judge, so no
 * answer names a packet that could still be lost. If the two disagree, Redis has forgotten
 * something.
 */
@Injectable()
export class GrabService {
  constructor(
    private readonly draws: DrawService,
    private readonly confirmations: ConfirmService,
    private readonly lookup: ClaimLookup,
    private readonly backlog: JournalBacklog,
    private readonly missing: MissingActivities,
    private readonly windowEnd: WindowEnd,
    private readonly config: AppConfig,
  ) {}

  /**
   * A win with `hold` is not paid before staff release it; one that limits may refuse (`mayLimit`) is
   * answered after the confirmation.
   * @throws activityNotFound, activityLoading, dispenserAway, lookupsFull, backlogFull
   */
  async grab(activityId: string, userId: string, admitted: Admitted = UNRESTRICTED): Promise<GrabOutcome> {
    this.requireRoom(activityId);
    const tap: Tap = { activityId, userId, ...admitted };
    for (let draw = 1; draw <= DRAWS_MAX; draw++) {
      const answer = await this.answer(await this.draw(tap), tap);
      if (answer) return answer;
    }
    throw dispenserAway('The activity is being put in order; try again.', { retryAfterSeconds: 1 });
  }

  /**
   * Refuses a draw while too many winners wait for Postgres: the only place where users are asked
   * to come back, because a user who has drawn is never sent away.
   *
   * @throws backlogFull
   */
  private requireRoom(activityId: string): void {
    const { GRAB_ACK, CONFIRM_WAIT_MAX_MS } = this.config;
    const waitMs = this.confirmations.expectedWaitMs;
    if (GRAB_ACK === 'postgres' && waitMs > CONFIRM_WAIT_MAX_MS)
      throw backlogFull('Many people are winning; try again.', {
        retryAfterSeconds: Math.ceil(waitMs / 1_000),
      });
    if (this.backlog.isFull(this.draws.shardsOf(activityId)))
      throw backlogFull('Confirmations are behind; try again.', { retryAfterSeconds: 2 });
  }

  /** Undefined if the user is to draw again. */
  private answer({ outcome, ground }: Drawn, tap: Tap): Promise<GrabOutcome | undefined> {
    const { activityId, userId } = tap;
    switch (outcome.kind) {
      case 'not-loaded':
        return this.withoutRedis(activityId, userId);
      case 'won':
      case 'already':
        return this.decide(tap, { outcome, ground });
      default:
        return this.refusal(activityId, userId, { outcome, ground });
    }
  }

  private async draw(tap: Tap): Promise<Drawn> {
    try {
      return await traced('draw', () => this.draws.draw(tap));
    } catch (cause) {
      throw dispenserAway('Try again in a moment.', { retryAfterSeconds: 1, cause });
    }
  }

  /** Keeps a refusal, unless Redis may have forgotten that this user has won, or packets. */
  private async refusal(
    activityId: string,
    userId: string,
    { outcome, ground }: Drawn<Refusal>,
  ): Promise<GrabOutcome> {
    if (outcome.kind === 'over') {
      await this.requireOver(activityId);
      return this.refusal(activityId, userId, { outcome: { kind: 'closed' }, ground });
    }
    if (outcome.kind === 'not-open') return outcome;
    const isWhole = await this.isWhole(activityId);
    if (isWhole && ground.knowsWinner()) return outcome;
    const facts = await this.requireFacts(activityId, userId);
    const final = finalOutcome(facts);
    if (final) return final;
    if (!isWhole) throw activityLoading('Try again in a moment.', { retryAfterSeconds: 1 });
    if (outcome.kind === 'sold-out' && !ground.isTrusted())
      await this.requireAllLoaded(activityId, facts.activity);
    return outcome;
  }

  /** @throws dispenserAway */
  private async isWhole(activityId: string): Promise<boolean> {
    try {
      return await this.draws.isWhole(activityId);
    } catch (cause) {
      throw dispenserAway('Try again in a moment.', { retryAfterSeconds: 1, cause });
    }
  }

  /**
   * The clock of Redis may be ahead for a moment; then a user may still win later.
   * @throws dispenserAway
   */
  private async requireOver(activityId: string): Promise<void> {
    const isOver = await this.windowEnd.isOver(activityId).catch((cause: unknown) => {
      throw dispenserAway('Try again in a moment.', { retryAfterSeconds: 1, cause });
    });
    if (!isOver) throw dispenserAway('The activity is about to end; try again.', { retryAfterSeconds: 1 });
  }

  /** @throws activityLoading, dispenserAway */
  private async requireAllLoaded(activityId: string, { packetCount }: KnownFacts['activity']): Promise<void> {
    const lastLoaded = await this.draws.lastLoaded(activityId).catch((cause: unknown) => {
      throw dispenserAway('Try again in a moment.', { retryAfterSeconds: 1, cause });
    });
    if (lastLoaded < packetCount) {
      void this.missing.loadSoon(activityId);
      throw activityLoading('Try again in a moment.', { retryAfterSeconds: 1 });
    }
  }

  /**
   * Answers for a drawn packet; undefined if it belongs to another user, so that this one draws
   * again. While Redis may have forgotten another packet of this user, or may remember what
   * Postgres has lost, only Postgres can name the packet; and only Postgres counts wins.
   */
  private async decide(
    { activityId, userId, hold: isHeld, mayLimit }: Tap,
    { outcome, ground }: Drawn<Extract<DrawOutcome, { kind: 'won' | 'already' }>>,
  ): Promise<GrabOutcome | undefined> {
    const { kind, packet } = outcome;
    if (kind === 'already' && packet.confirmed && ground.isSameHistory()) return { kind, packet };
    const namedRightly = ground.namesRightly();
    const { entry, waitedSince } = kind === 'won' ? outcome : {};
    const hold = isHeld || isHeldSince(waitedSince);
    const reservation = { activityId, userId, packet, shard: ground.shard, entry, waitedSince, hold };
    if (this.config.GRAB_ACK === 'redis' && namedRightly && !mayLimit) {
      this.confirmations.confirm(reservation).catch(() => undefined);
      return { kind, packet };
    }
    const decision = await this.confirm(reservation);
    if (decision?.verdict.kind === 'unknown-packet') await this.requireFacts(activityId, userId);
    if (decision) return this.tell(decision, kind);
    if (namedRightly && ground.namesRightly()) return { kind: 'reserved', packet };
    throw dispenserAway('Try again in a moment.', { retryAfterSeconds: 1 });
  }

  /** @throws activityNotFound, also if Redis knows what Postgres has lost; activityArchived */
  private async requireFacts(activityId: string, userId: string): Promise<KnownFacts> {
    const { activity, packet } = await this.lookup.factsOf(activityId, userId);
    if (!activity) throw noSuchActivity(activityId);
    if (activity.isArchived) throw rowsArchived(activityId);
    return { activity, packet };
  }

  /** Undefined if Postgres is late. The sweeper then learns its decision. */
  private confirm(reservation: Reservation): Promise<Decision | undefined> {
    const decision = traced('confirm', () => this.confirmations.confirm(reservation));
    return within(this.config.CONFIRM_TIMEOUT_MS, decision).catch(() => undefined);
  }

  private async tell(
    { verdict, corrected }: Decision,
    drawn: 'won' | 'already',
  ): Promise<GrabOutcome | undefined> {
    const outcome = outcomeOf(verdict, drawn);
    if (outcome) return outcome;
    await corrected.catch((cause: unknown) => {
      throw dispenserAway('Try again in a moment.', { retryAfterSeconds: 1, cause });
    });
    return undefined;
  }

  /**
   * Answers for an activity that Redis does not know, or to which packets are being added. An
   * active one is loaded, because a user asks for it. Undefined once it is, so that the user draws
   * again.
   *
   * @throws activityNotFound, activityLoading
   */
  private async withoutRedis(activityId: string, userId: string): Promise<GrabOutcome | undefined> {
    if (await this.missing.arrives(activityId)) return undefined;
    const final = finalOutcome(await this.requireFacts(activityId, userId));
    if (final) return final;
    if (await this.missing.loadSoon(activityId)) return undefined;
    throw activityLoading('Try again in a moment.', { retryAfterSeconds: 1 });
  }
}

type Refusal = Exclude<Drawn['outcome'], { kind: 'not-loaded' | 'won' | 'already' }>;

type KnownFacts = TapFacts & Required<Pick<TapFacts, 'activity'>>;

/** Undefined while the activity is active and the user has no packet of it. */
function finalOutcome({ activity, packet }: KnownFacts): GrabOutcome | undefined {
  if (packet) return { kind: 'already', packet };
  return activity.status === 'active' ? undefined : { kind: 'closed' };
}

function outcomeOf(verdict: Verdict, drawn: 'won' | 'already'): GrabOutcome | undefined {
  switch (verdict.kind) {
    case 'confirmed':
      return { kind: drawn, packet: verdict.packet };
    case 'holds-other':
      return { kind: 'already', packet: verdict.packet };
    case 'closed':
    case 'limit':
      return { kind: verdict.kind };
    case 'taken':
    case 'unknown-packet':
      return undefined;
  }
}
