import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Currency } from '../../../../libs/money';
import { NotSent, OutgoingCalls, wordsFor } from '../../../../libs/public-address';
import { AppConfig } from '../../../platform/config';
import { Currencies } from '../../../core/currency';
import type { ChannelRow, ProtocolName } from '../channel/channel.entity';
import { paceOf } from '../channel/channel-pace';
import type { Call } from './due.repository';
import type { CallFacts, CallResult, Protocol } from './protocol';
import { signedJson } from './signed-json';

const ANSWER_BYTES_MAX = 16 * 1024;

const PROTOCOLS: Readonly<Record<ProtocolName, Protocol>> = { 'signed-json': signedJson };

/** `^[0-9A-Za-z]{1,32}$`: names the payout and its attempt. */
const payoutIdOf = ({ id, attempt }: { id: string; attempt: number }): string => `${id}a${attempt}`;

/** Calls the URL of a channel in its protocol. */
@Injectable()
export class ChannelClient implements OnApplicationShutdown {
  private readonly calls: OutgoingCalls;

  constructor(
    config: AppConfig,
    private readonly currencies: Currencies,
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
    const protocol = PROTOCOLS[channel.profile.protocol ?? 'signed-json'];
    const facts = factsOf(call, await this.currencies.ofAccount(channel.outboundAccountId));
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
}

function factsOf(call: Call, currency: Currency): CallFacts {
  const { method, userId, amountMinor, createdAt, claims, at } = call;
  const payoutId = payoutIdOf(call);
  const amount = currency.format(amountMinor);
  return { method, payoutId, userId, amount, amountMinor, currency: currency.code, createdAt, claims, at };
}
