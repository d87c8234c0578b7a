import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { NotSent, OutgoingCalls, wordsFor } from '../../../../libs/public-address';
import { signatureHeaders } from '../../../../libs/standard-webhooks';
import { AppConfig, Currency } from '../../../platform/config';
import type { ChannelRow } from '../channel/channel.entity';
import { paceOf } from '../channel/channel-pace';
import { ANOTHER_ID, type Asked, judge, type Verdict } from './answer';
import type { Call } from './sending.repository';

const ANSWER_BYTES_MAX = 16 * 1024;

/** `^[0-9A-Za-z]{1,32}$`: names the payout and its attempt. */
export const payoutIdOf = ({ id, attempt }: { id: string; attempt: number }): string => `${id}a${attempt}`;

/** Calls the URL of a channel, signed as in Standard Webhooks. */
@Injectable()
export class ChannelClient implements OnApplicationShutdown {
  private readonly calls: OutgoingCalls;

  constructor(
    config: AppConfig,
    private readonly currency: Currency,
  ) {
    this.calls = new OutgoingCalls(config.WEBHOOK_PRIVATE_ADDRESSES);
  }

  onApplicationShutdown(): void {
    this.calls.close();
  }

  /**
   * Never throws. Others take the payout over after its lease, so a process that was stopped for
   * longer than the time-out makes no call, nor does one whose machine was suspended.
   * @param sinceClaimMs says how long ago the claim began
   */
  async make(channel: ChannelRow, call: Call, sinceClaimMs: () => number): Promise<Verdict> {
    const { method, userId, amountMinor, createdAt, claims } = call;
    const leftMs = paceOf(channel.profile).timeoutMs - sinceClaimMs();
    if (leftMs <= 0) return { kind: 'unknown', reason: 'was held up', isOurs: true };
    const payoutId = payoutIdOf(call);
    const asked: Asked = {
      payoutId,
      userId,
      amount: this.currency.format(amountMinor),
      currency: this.currency.code,
    };
    const body =
      method === 'PUT'
        ? JSON.stringify({
            ...asked,
            amountMinor: String(amountMinor),
            createdAt: createdAt.toISOString(),
            claims: claims ?? undefined,
          })
        : '';
    const ending = new AbortController();
    const { signal } = ending;
    const timer = setTimeout(() => ending.abort(), leftMs);
    try {
      const {
        status,
        headers,
        body: text,
        cut,
      } = await this.calls.send({
        url: `${channel.url!.replace(/\/$/, '')}/payouts/${payoutId}`,
        method,
        body,
        signal,
        answerBytesMax: ANSWER_BYTES_MAX,
        headers: {
          ...(method === 'PUT' ? { 'content-type': 'application/json' } : {}),
          'user-agent': 'hongbao-payouts',
          ...signatureHeaders(secretsOf(channel, call.at), {
            id: payoutId,
            timestampSeconds: Math.floor(call.at.getTime() / 1_000),
            body,
          }),
        },
      });
      const { 'retry-after': retryAfter, date } = headers;
      const verdict = judge(method, asked, { status, retryAfter, date, body: text });
      if (verdict.kind === 'unknown' && verdict.reason === ANOTHER_ID) cut();
      return verdict;
    } catch (error) {
      if (signal.aborted) return { kind: 'unknown', reason: 'did not answer in time' };
      const reason = wordsFor(error);
      return error instanceof NotSent
        ? { kind: 'misconfigured', reason, isAway: true }
        : { kind: 'unknown', reason };
    } finally {
      clearTimeout(timer);
    }
  }
}

function secretsOf({ secret, formerSecret, formerSecretUntil }: ChannelRow, at: Date): string[] {
  const isFormerValid = formerSecretUntil !== null && formerSecretUntil > at;
  return isFormerValid ? [secret!, formerSecret!] : [secret!];
}
