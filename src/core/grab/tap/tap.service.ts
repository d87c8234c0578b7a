import { HttpStatus, Injectable } from '@nestjs/common';
import { Problem } from '../../../../libs/problem';
import { redPacketId } from '../../../../libs/red-packet-id';
import { type Right, rolesWith } from '../../../../libs/roles';
import type { Caller, Lane } from '../../../platform/http';
import { Metrics } from '../../../platform/telemetry';
import { Currencies } from '../../currency';
import type { GrabDto } from './grab.dto';
import type { GrabOutcome } from './grab-outcome';
import { grabTimes } from './grab-times';
import { GrabService } from './grab.service';
import { staggered } from './staggered';
import { Admissions } from '../admission/admissions';
import type { Admitted } from '../admission/admission-rules';
import type { TapOptions } from '../admission/tap-options';
import { TapListeners } from './tap-listeners';

const MS_A_SECOND = 1_000;

export const TAP_RIGHT: Right = 'play';

/** Answers a tap, whether it came as a request, by the fast lane, or over the gateway. */
@Injectable()
export class TapService implements Lane {
  readonly path = /^\/v1\/activities\/(\d{1,19})\/grabs$/;
  readonly roles = rolesWith(TAP_RIGHT);
  private readonly times;

  constructor(
    private readonly admissions: Admissions,
    private readonly grabs: GrabService,
    private readonly listeners: TapListeners,
    private readonly currencies: Currencies,
    metrics: Metrics,
  ) {
    this.times = grabTimes(metrics);
  }

  /**
   * @param options as the client sent them
   * @param reply receives the status, unless it is 200
   */
  async answerTap(
    activityId: string,
    { userId }: Caller,
    options: TapOptions,
    reply: { statusCode: number },
  ): Promise<GrabDto> {
    const admission = this.admissions.admitUser(activityId, userId, options);
    const admitted = admission instanceof Promise ? await admission : admission;
    const outcome = await this.timedGrab(activityId, userId, admitted);
    if (outcome.kind === 'reserved') reply.statusCode = HttpStatus.ACCEPTED;
    return this.toDto(activityId, userId, outcome);
  }

  private async timedGrab(activityId: string, userId: string, admitted: Admitted): Promise<GrabOutcome> {
    const startMs = performance.now();
    try {
      const outcome = await this.grabs.grab(activityId, userId, admitted);
      const tookMs = performance.now() - startMs;
      this.times[outcome.kind].observe(tookMs / MS_A_SECOND);
      this.listeners.noteTap(activityId, outcome.kind, tookMs);
      return outcome;
    } catch (error) {
      if (error instanceof Problem && error.status === Number(HttpStatus.SERVICE_UNAVAILABLE))
        this.listeners.noteTap(activityId, 'unavailable', performance.now() - startMs);
      throw error;
    }
  }

  private async toDto(activityId: string, userId: string, outcome: GrabOutcome): Promise<GrabDto> {
    switch (outcome.kind) {
      case 'won':
      case 'already':
        return {
          code: outcome.kind === 'won' ? '0' : '1',
          redPacketId: redPacketId(activityId, outcome.packet.no),
          amount: (await this.currencies.ofActivity(activityId)).format(outcome.packet.amountMinor),
        };
      case 'reserved':
        return { code: '2', redPacketId: redPacketId(activityId, outcome.packet.no) };
      case 'not-open':
        return { code: '-1', reason: 'not-open', opensAt: new Date(outcome.opensAtMs).toISOString() };
      case 'not-yet': {
        const nextAt = staggered(userId, outcome.nextAtMs, outcome.closesAtMs);
        return { code: '-1', reason: 'not-yet', nextAt: new Date(nextAt).toISOString() };
      }
      case 'sold-out':
      case 'limit':
      case 'closed':
        return { code: '-1', reason: outcome.kind };
    }
  }
}
