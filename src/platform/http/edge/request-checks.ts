import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config';
import { bearerToken } from '../auth/bearer-token';
import { TokenVerifier } from '../auth/token-verifier';
import { clientAddress, type AddressOf } from './client-address';
import { HttpMetrics } from './http-metrics';
import { addressKey } from '../auth/address-key';
import type { Headed } from '../rate-limit/rate-limit-headers';
import { RateLimits } from '../rate-limit/rate-limits';

/** Every request passes these before it is routed, in Fastify and in the fast lane. */
@Injectable()
export class RequestChecks {
  private readonly ipOf: AddressOf;

  constructor(
    config: AppConfig,
    private readonly limits: RateLimits,
    private readonly tokens: TokenVerifier,
    private readonly metrics: HttpMetrics,
  ) {
    this.ipOf = clientAddress(config.TRUSTED_PROXIES);
  }

  count(requestId: string, reply: Headed): void {
    this.metrics.countRequest();
    reply.header('x-request-id', requestId).header('cache-control', 'no-store');
  }

  /** Returns the key under which the limit per address counts this request. */
  addressOf(request: IncomingMessage): string {
    return addressKey(this.ipOf(request));
  }

  /**
   * Admits a request by its address. A verified token of a server may exceed the limit.
   * @throws rateLimited
   */
  address(request: IncomingMessage, reply: Headed): void {
    this.limits.admitAddress(this.addressOf(request), reply, () => {
      const token = bearerToken(request.headers);
      return token !== undefined && this.tokens.isKnownServer(token);
    });
  }
}
