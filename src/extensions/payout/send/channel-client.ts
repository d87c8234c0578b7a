import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { NotSent, OutgoingCalls, wordsFor } from '../../../../libs/public-address';
import { AppConfig, Currency } from '../../../platform/config';
import type { ChannelRow } from '../channel/channel.entity';
import { paceOf } from '../channel/channel-pace';
import type { CallResult, CallFacts } from './protocol';
import { protocolOf } from './protocols';
import type { Call } from './due.repository';

const ANSWER_BYTES_MAX = 16 * 1024;

/** `^[0-9A-Za-z]{1,32}$`: names the payout and its attempt. */
const payoutIdOf = ({ id, attempt }: { id: string; attempt: number }): string => `${id}a${attempt}`;

/** Calls the URL of a channel in its protocol. */
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
   * @param sinceTakenMs says how long ago the call was taken up
   */
  async make(channel: ChannelRow, call: Call, sinceTakenMs: () => number): Promise<CallResult> {
    const leftMs = paceOf(channel.profile).timeoutMs - sinceTakenMs();
    if (leftMs <= 0) return { kind: 'unknown', reason: 'was held up', isOurs: true };
    const protocol = protocolOf(channel);
    const facts = this.factsOf(call);
    const ending = new AbortController();
    const { signal } = ending;
    const timer = setTimeout(() => ending.abort(), leftMs);
    try {
      const request = protocol.ask(channel, facts);
      const { cut, ...reply } = await this.calls.send({
        ...request,
        signal,
        answerBytesMax: ANSWER_BYTES_MAX,
      });
      const result = protocol.judge(facts, reply);
      if (result.kind === 'unknown' && result.isOfAnother) cut();
      return result;
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

  private factsOf(call: Call): CallFacts {
    const { method, userId, amountMinor, createdAt, claims, at } = call;
    const payoutId = payoutIdOf(call);
    const amount = this.currency.format(amountMinor);
    return {
      method,
      payoutId,
      userId,
      amount,
      amountMinor,
      currency: this.currency.code,
      createdAt,
      claims,
      at,
    };
  }
}
