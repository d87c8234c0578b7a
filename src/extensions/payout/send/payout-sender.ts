import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { stopwatch } from '../../../../libs/deadline';
import { failpoint } from '../../../../libs/failpoint';
import { Repeats } from '../../../platform/schedule';
import type { ChannelRow } from '../channel/channel.entity';
import { ChannelRepository } from '../channel/channel.repository';
import { Answers } from './answers';
import { ChannelClient } from './channel-client';
import { DueCalls } from './due-calls';
import type { Call } from './due.repository';
import { PaceRepository } from './pace.repository';

const LOOK_EVERY_MS = 200;

/**
 * Answers that arrive within this time share one query for what is due: a statement for many payouts costs
 * hardly more than one for a single payout.
 */
const GATHER_MS = 50;

const ENDS_WITHIN_MS = 2_000;

/**
 * Sends payouts to the channels that have a URL. Postgres is the record: any number of workers share a
 * channel, and each may be killed anywhere. A slow channel does not delay the others.
 */
@Injectable()
export class PayoutSender implements BeforeApplicationShutdown {
  private readonly logger = new Logger('PayoutSender');
  private readonly served = new Set<string>();
  /** Channel → the error that ended its last service. */
  private readonly failing = new Map<string, unknown>();
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly channels: ChannelRepository,
    private readonly paces: PaceRepository,
    private readonly dueCalls: DueCalls,
    private readonly client: ChannelClient,
    private readonly answers: Answers,
  ) {}

  /** @throws the error of a channel that could not be served, while the others are */
  @Repeats('PayoutSender', LOOK_EVERY_MS, { logs: 'changes' })
  async sendDue(stopping: AbortSignal): Promise<void> {
    const called = await this.channels.called();
    for (const { id } of called) this.answers.expect(id);
    const due = called.filter(({ isDue }) => isDue);
    for (const { id } of due) if (!stopping.aborted && !this.served.has(id)) this.begin(id, stopping);
    for (const { id } of due)
      if (this.failing.has(id)) throw new Error(`Channel ${id}: ${String(this.failing.get(id))}`);
  }

  /** Another worker takes over calls that do not end in time. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.race([Promise.all(this.underWay), delay(ENDS_WITHIN_MS, undefined, { ref: false })]);
  }

  private begin(channelId: string, stopping: AbortSignal): void {
    this.served.add(channelId);
    void this.serve(channelId, stopping)
      .then(
        () => this.failing.delete(channelId),
        (error: unknown) => this.failing.set(channelId, error),
      )
      .finally(() => this.served.delete(channelId));
  }

  /** Continues while something is due or under way. */
  private async serve(channelId: string, stopping: AbortSignal): Promise<void> {
    await this.paces.begin(channelId);
    const ours = new Set<Promise<void>>();
    while (!stopping.aborted) {
      const channel = await this.channels.findChannel(channelId);
      if (!channel) return;
      const sinceTakenMs = stopwatch();
      for (const call of await this.dueCalls.take(channel)) {
        const made = this.make(channel, call, sinceTakenMs).finally(() => {
          ours.delete(made);
          this.underWay.delete(made);
        });
        ours.add(made);
        this.underWay.add(made);
      }
      if (ours.size === 0) return;
      await Promise.race([...ours, delay(LOOK_EVERY_MS)]);
      await delay(GATHER_MS);
    }
  }

  /** Never rejects. An answer that is lost here leaves the payout `sending` until its lease ends. */
  private async make(channel: ChannelRow, call: Call, sinceTakenMs: () => number): Promise<void> {
    try {
      await failpoint('send.before-call');
      const result = await this.client.make(channel, call, sinceTakenMs);
      await failpoint('send.after-answer');
      await this.answers.apply(call, result);
    } catch (error) {
      this.logger.error(`The answer to call ${call.no} of payout ${call.id} is lost: ${String(error)}`);
    }
  }
}
