import { Injectable, Logger } from '@nestjs/common';
import { Problem } from '../../../../libs/problem';
import { Metrics } from '../../telemetry';

/** The faults of a token, and the lack of a right. */
export const CHECKS = [
  'form',
  'algorithm',
  'key',
  'signature',
  'expired',
  'not-yet',
  'issuer',
  'audience',
  'claims',
  'keys-unavailable',
  'role',
  'origin',
] as const;

export type Check = (typeof CHECKS)[number];

/**
 * The cause of a 401 or 403 that only the log reports: which check failed, what was expected and what was
 * received. The caller, who may be anyone, learns little.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly check: Check,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const QUIET_MS = 10_000;
const LENGTH_MAX = 100;

/** Logs each reason at most once in ten seconds, however many callers try; the counter has them all. */
@Injectable()
export class Refusals {
  private readonly logger = new Logger('Auth');
  private readonly counts;
  private readonly quietUntilMs = new Map<Check, number>();

  constructor(metrics: Metrics) {
    this.counts = metrics.counters({
      name: 'hongbao_auth_refusals_total',
      help: 'Tokens and callers refused by this process, by the check that failed',
      label: 'check',
      values: CHECKS,
    });
  }

  note({ cause, status }: Problem): void {
    if (!(cause instanceof Refusal)) return;
    const { check, message } = cause;
    this.counts[check].inc();
    if (performance.now() < (this.quietUntilMs.get(check) ?? 0)) return;
    this.quietUntilMs.set(check, performance.now() + QUIET_MS);
    this.logger.warn(`Refused with ${status} (${check}): ${message}`);
  }
}

/** Quotes what a caller has sent, on one line and of limited length. */
export function quoted(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '?');
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text;
}
