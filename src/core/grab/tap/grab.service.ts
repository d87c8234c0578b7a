import { Injectable } from '@nestjs/common';
import { within } from '../../../../libs/deadline';
import type { Reservation } from '../../../../libs/redis-scripts';
import { traced } from '../../../../libs/tracing';
import { AppConfig } from '../../../platform/config';
import { type Admitted, UNRESTRICTED } from '../admission/admission-rules';
import type { ConfirmVerdict } from '../confirm/claim.repository';
import { backlogFull } from '../confirm/confirm.error';
import { ConfirmService, type Decision } from '../confirm/confirm.service';
import { dispenserAway } from '../draw/draw.error';
import { type DrawnPacket, type DrawResult, reservationOf, type Tap } from '../draw/draw-result';
import { DrawService } from '../draw/draw.service';
import { JournalBacklog } from '../journal/journal-backlog';
import type { GrabOutcome } from './grab-outcome';
import { LastPackets } from './last-packets';
import { RefusalCheck } from './refusal-check';

/** A draw is repeated only if Redis has forgotten a packet's holder; each time it learns one. */
const DRAWS_MAX = 64;

type AdmittedTap = Tap & Admitted;

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
    private readonly backlog: JournalBacklog,
    private readonly refusals: RefusalCheck,
    private readonly lastPackets: LastPackets,
    private readonly config: AppConfig,
  ) {}

  /**
   * A win with `hold` is not paid before staff release it; one that limits may refuse (`mayLimit`) is
   * answered after the confirmation.
   * @throws activityNotFound, activityLoading, dispenserAway, lookupsFull, backlogFull
   */
  async grab(activityId: string, userId: string, admitted: Admitted = UNRESTRICTED): Promise<GrabOutcome> {
    const tap: AdmittedTap = { activityId, userId, ...admitted };
    const outcome = await this.drawAndConfirm(tap);
    if (outcome.kind !== 'sold-out' || !admitted.mayLimit) return outcome;
    return this.lastPackets.grabAgain(activityId, () => this.drawAndConfirm(tap));
  }

  private async drawAndConfirm(tap: AdmittedTap): Promise<GrabOutcome> {
    this.requireRoom(tap.activityId);
    for (let draw = 1; draw <= DRAWS_MAX; draw++) {
      const outcome = await this.outcomeOf(tap, await this.draw(tap));
      if (outcome) return outcome;
    }
    throw dispenserAway('The activity is being repaired; try again.', { retryAfterSeconds: 1 });
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

  private async draw(tap: Tap): Promise<DrawResult> {
    try {
      return await traced('draw', () => this.draws.draw(tap));
    } catch (cause) {
      throw dispenserAway('Redis did not answer the draw; tap again.', { retryAfterSeconds: 1, cause });
    }
  }

  /** Undefined if the user is to draw again. */
  private outcomeOf(tap: AdmittedTap, { outcome, source }: DrawResult): Promise<GrabOutcome | undefined> {
    switch (outcome.kind) {
      case 'won':
      case 'already':
        return this.decide(tap, { outcome, source });
      case 'not-loaded':
        return this.refusals.outcomeWithoutRedis(tap);
      default:
        return this.refusals.checkRefusal(tap, { outcome, source });
    }
  }

  /**
   * Answers for a drawn packet; undefined if it belongs to another user, so that this one draws
   * again. While Redis may have forgotten another packet of this user, or may remember what
   * Postgres has lost, only Postgres can name the packet; and only Postgres counts wins.
   */
  private async decide(
    tap: AdmittedTap,
    { outcome, source }: DrawResult<DrawnPacket>,
  ): Promise<GrabOutcome | undefined> {
    const { kind, packet } = outcome;
    if (kind === 'already' && packet.confirmed && source.isSameHistory()) return { kind, packet };
    const namedRightly = source.namesRightly();
    const reservation = reservationOf(tap, outcome, source.shard);
    if (this.config.GRAB_ACK === 'redis' && namedRightly && !tap.mayLimit) {
      this.confirmations.confirm(reservation).catch(() => undefined);
      return { kind, packet };
    }
    const decision = await this.confirm(reservation);
    if (decision?.verdict.kind === 'unknown-packet') await this.refusals.requireFacts(tap);
    if (decision) return this.outcomeOfDecision(decision, kind);
    if (namedRightly && source.namesRightly()) return { kind: 'reserved', packet };
    throw dispenserAway('Whose packet it is has not been decided yet; tap again.', { retryAfterSeconds: 1 });
  }

  /** Undefined if Postgres is late. The sweeper then learns its decision. */
  private confirm(reservation: Reservation): Promise<Decision | undefined> {
    const decision = traced('confirm', () => this.confirmations.confirm(reservation));
    return within(this.config.CONFIRM_TIMEOUT_MS, decision).catch(() => undefined);
  }

  private async outcomeOfDecision(
    { verdict, corrected }: Decision,
    drawn: 'won' | 'already',
  ): Promise<GrabOutcome | undefined> {
    const outcome = outcomeOfVerdict(verdict, drawn);
    if (outcome) return outcome;
    await corrected.catch((cause: unknown) => {
      throw dispenserAway('Another user has the packet, but Redis could not be updated; tap again.', {
        retryAfterSeconds: 1,
        cause,
      });
    });
    return undefined;
  }
}

function outcomeOfVerdict(verdict: ConfirmVerdict, drawn: 'won' | 'already'): GrabOutcome | undefined {
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
