import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { failpoint } from '../../../../libs/failpoint';
import type { Currency } from '../../../../libs/money';
import { Currencies } from '../../../core/currency';
import { Repeats } from '../../../platform/schedule';
import { NewsListeners } from '../../../core/news';
import type { NewsOfPayout } from './payout-news.dto';
import { type PayoutNewsRow, PayoutRepository } from '../book/payout.repository';

const LOOK_EVERY_MS = 200;
const AT_ONCE = 500;

/**
 * Notifies users of the outcome of their payouts. Every transaction that changes a payout leaves the news in
 * Postgres. A crash after publishing publishes again, under the same ids.
 */
@Injectable()
export class PayoutNews {
  constructor(
    private readonly payouts: PayoutRepository,
    private readonly listeners: NewsListeners,
    private readonly currencies: Currencies,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** @throws when Redis is down, and the news stay */
  @Repeats('PayoutNews', LOOK_EVERY_MS, { logs: 'changes' })
  async publish(stopping: AbortSignal): Promise<void> {
    let published = AT_ONCE;
    while (published === AT_ONCE && !stopping.aborted)
      published = await this.dataSource.transaction(async (tx) => {
        const news = await this.payouts.takeNews(tx, AT_ONCE);
        if (news.length === 0) return 0;
        const currencies = await Promise.all(
          news.map(({ walletAccountId }) => this.currencies.ofAccount(walletAccountId)),
        );
        await this.listeners.publish(() => news.map((one, i) => newsOf(one, currencies[i]!)));
        await failpoint('news.before-commit');
        return news.length;
      });
  }
}

function newsOf(
  { eventId, state, userId, amountMinor, at, ...news }: PayoutNewsRow,
  currency: Currency,
): NewsOfPayout {
  const { payoutId, channelId, code, action } = news;
  return {
    id: `payout.${payoutId}.${eventId}`,
    event: `payout.${state}`,
    userId,
    data: {
      payoutId,
      channelId,
      amount: currency.format(BigInt(amountMinor)),
      currency: currency.code,
      code: code ?? undefined,
      action: action ?? undefined,
      at: at.toISOString(),
    },
  };
}
