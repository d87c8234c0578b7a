import { Injectable } from '@nestjs/common';
import { redPacketId } from '../../../libs/red-packet-id';
import { Currencies, type KnownCurrency } from '../currency';
import { NewsListeners, type NewsOfPacket } from '../news';
import { type NewsOfClaim, SettlementRepository } from './settlement.repository';
import type { SettlementResult } from './settlement.service';

const EVENTS = ['packet.confirmed', 'wallet.credited'];

/** Notifies winners that a packet is theirs and that its money has arrived. */
@Injectable()
export class SettlementNews {
  constructor(
    private readonly settlements: SettlementRepository,
    private readonly listeners: NewsListeners,
    private readonly currencies: Currencies,
  ) {}

  /**
   * Notifies the winners of a settled batch. The process that settled the batch calls it. A job
   * that runs again sends the same notifications under the same ids, so the second ones are
   * dropped. Such a run no longer knows the activities of its claims.
   *
   * @throws when Postgres or Redis is down
   */
  async tell(claimIds: readonly string[], result: SettlementResult): Promise<void> {
    if (!(await this.listeners.anybodyListens(...EVENTS))) return;
    const news = await this.newsOfBatch(claimIds, result);
    await this.listeners.publish(() => news);
  }

  /**
   * The same for a batch that was settled without a job, so that nothing runs again.
   * @throws when Postgres or Redis is down; without Redis, listeners have kept what they can
   */
  async tellOrKeep(claimIds: readonly string[], result: SettlementResult): Promise<void> {
    await this.listeners.publishOrKeep(EVENTS, () => this.newsOfBatch(claimIds, result));
  }

  private async newsOfBatch(
    claimIds: readonly string[],
    { paid, buried, activities }: SettlementResult,
  ): Promise<NewsOfPacket[]> {
    const isWhole = paid + buried === claimIds.length;
    const claims = await this.settlements.newsOf(claimIds, isWhole ? activities : undefined);
    const currencies = await Promise.all(
      claims.map(({ activityId }) => this.currencies.ofActivity(activityId)),
    );
    return claims.flatMap((claim, i) => this.newsOf(claim, currencies[i]!));
  }

  private newsOf(claim: NewsOfClaim, currency: KnownCurrency): NewsOfPacket[] {
    const { id, activityId, packetNo, userId, amountMinor, confirmedAt, creditedAt } = claim;
    const about = {
      activityId,
      redPacketId: redPacketId(activityId, packetNo),
      amount: currency.format(BigInt(amountMinor)),
      currency: currency.code,
    };
    const confirmed: NewsOfPacket = {
      id: `claim.${id}.confirmed`,
      event: 'packet.confirmed',
      userId,
      data: { ...about, at: confirmedAt.toISOString() },
    };
    if (creditedAt === null) return [confirmed];
    const data = { ...about, at: creditedAt.toISOString() };
    return [confirmed, { id: `claim.${id}.credited`, event: 'wallet.credited', userId, data }];
  }
}
