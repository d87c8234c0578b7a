import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Problem } from '../../../../libs/problem';
import type { Role } from '../../../../libs/roles';
import { bearerTokenOf, requireRole } from '../auth/admission';
import type { Caller } from '../auth/caller';
import { nowSeconds } from '../auth/now-seconds';
import { TokenVerifier } from '../auth/token-verifier';
import { Checks } from '../edge/checks';
import type { Headed } from '../rate-limit/rate-limit-headers';
import { unauthenticated } from '../edge/http.error';
import { RateLimits } from '../rate-limit/rate-limits';

/** Somebody who stays connected. */
export interface Session {
  readonly caller: Caller;
  /** What counts as one client. */
  readonly address: string;
  readonly token: string;
  /** When the token has to be looked at again. */
  untilSeconds: number;
}

/** What befalls every request befalls everything that is asked over a connection that stays: the same limits, tokens and roles. */
@Injectable()
export class Sessions {
  constructor(
    private readonly checks: Checks,
    private readonly tokens: TokenVerifier,
    private readonly limits: RateLimits,
  ) {}

  /** @param caller whom the guards have let through */
  async begin(request: IncomingMessage, caller: Caller): Promise<Session> {
    const token = bearerTokenOf(request.headers);
    const { untilSeconds } = await this.tokens.lookAt(token);
    return { caller, address: this.checks.addressOf(request), token, untilSeconds };
  }

  /**
   * In the order of requests: the address, the token, the user.
   *
   * @throws rateLimited, unauthenticated, keysUnavailable
   */
  async admit(session: Session, requestId: string, reply: Headed): Promise<void> {
    this.checks.count(requestId, reply);
    this.limits.admitAddress(session.address, reply, () => session.caller.via !== undefined);
    if (isDue(session)) await this.lookAgain(session);
    this.limits.admitUser(session.caller, reply);
  }

  /** @throws forbidden */
  requireRole({ caller }: Session, roles: readonly Role[]): void {
    requireRole(caller, roles);
  }

  /** Whether the token is good, with another look at it. While its key cannot be fetched nobody knows, and nothing is admitted. */
  async isStillValid(session: Session): Promise<boolean> {
    try {
      await this.lookAgain(session);
      return true;
    } catch (error) {
      return !(error instanceof Problem && error.code === unauthenticated.definition.code);
    }
  }

  /** @throws unauthenticated when the token has ended or its key was withdrawn, keysUnavailable */
  private async lookAgain(session: Session): Promise<void> {
    const { untilSeconds } = await this.tokens.lookAt(session.token);
    session.untilSeconds = untilSeconds;
  }
}

/** Whether the token of a session has to be looked at before it is believed again. */
export const isDue = ({ untilSeconds }: Session): boolean => nowSeconds() >= untilSeconds;
