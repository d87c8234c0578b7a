import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Problem } from '../../../../libs/problem';
import type { Role } from '../../../../libs/roles';
import { bearerTokenOf, requireRole } from '../auth/admission';
import type { Caller } from '../auth/caller';
import { isDue, TokenVerifier, type Verified } from '../auth/token-verifier';
import { RequestChecks } from '../edge/request-checks';
import type { Headed } from '../rate-limit/rate-limit-headers';
import { unauthenticated } from '../problems/http.error';
import { RateLimits } from '../rate-limit/rate-limits';

export interface Session {
  readonly caller: Caller;
  /** The key of a client in limits. */
  readonly address: string;
  readonly token: string;
  verified: Verified;
}

/** Every frame of an open connection meets the same limits, tokens and roles as a request. */
@Injectable()
export class Sessions {
  constructor(
    private readonly checks: RequestChecks,
    private readonly tokens: TokenVerifier,
    private readonly limits: RateLimits,
  ) {}

  /** @param caller the caller that the guards have admitted */
  async begin(request: IncomingMessage, caller: Caller): Promise<Session> {
    const token = bearerTokenOf(request.headers);
    const verified = await this.tokens.lookAt(token);
    return { caller, address: this.checks.addressOf(request), token, verified };
  }

  /**
   * Checks in the order of requests: the address, the token, the user.
   * @throws rateLimited, unauthenticated, keysUnavailable
   */
  async admit(session: Session, requestId: string, reply: Headed, countsAs: number): Promise<void> {
    this.checks.count(requestId, reply);
    this.limits.admitAddress(session.address, reply, () => session.caller.via !== undefined);
    if (isDue(session.verified)) await this.lookAgain(session);
    this.limits.admitUser(session.caller, reply, countsAs);
  }

  /** @throws forbidden */
  requireRole({ caller }: Session, roles: readonly Role[]): void {
    requireRole(caller, roles);
  }

  /** True while the key cannot be fetched: `admit` refuses every frame then. */
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
    session.verified = await this.tokens.lookAt(session.token);
  }
}
