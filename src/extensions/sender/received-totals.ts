import { Injectable, Logger } from '@nestjs/common';
import { stretchAround } from '../../core/activity';
import { Currencies } from '../../core/currency';
import { CreditChain, NO_LINK } from '../../core/wallet';
import { AppConfig } from '../../platform/config';
import type { ReceivedTotalDto } from './received.dto';
import { type CountedPackets, type Received, ReceivedTotalRepository } from './received-total.repository';

/** What one request counts at most: credits of a wallet, and the partitions that they lie in. */
const CREDITS_MAX = 1_000;
const STRETCHES_MAX = 50;

const AT_ONCE = 100;

/**
 * The sums of the packets that a user has received. The credits of a wallet are a chain that only grows, so what
 * was counted is kept, and a request counts what is new, or goes on with what is older.
 */
@Injectable()
export class ReceivedTotals {
  private readonly logger = new Logger('ReceivedTotals');

  constructor(
    private readonly rows: ReceivedTotalRepository,
    private readonly chain: CreditChain,
    private readonly currencies: Currencies,
    private readonly config: AppConfig,
  ) {}

  async of(userId: string): Promise<ReceivedTotalDto[]> {
    const received = await this.rows.find(userId);
    return Promise.all(received.map((one) => this.total(userId, one)));
  }

  private async total(userId: string, received: Received): Promise<ReceivedTotalDto> {
    const currency = await this.currencies.of(received.currency);
    const { packets, amountMinor, next } = await this.count(userId, received);
    const amount = currency.format(amountMinor);
    return { currency: currency.code, packets, amount, isComplete: next === NO_LINK };
  }

  private async count(userId: string, { currency, newest, counted }: Received): Promise<CountedPackets> {
    if (counted?.newest === newest && counted.next === NO_LINK) return counted;
    const [from, known] = counted?.newest === newest ? [counted.next, counted] : [newest, undefined];
    const walked = await this.walk(userId, currency, from, counted?.newest);
    // Whoever has received more since than one request counts begins again, at the newest packet.
    const reached = known ?? (counted && walked.next === counted.newest ? counted : undefined);
    const sum = {
      newest,
      next: known || !reached ? walked.next : reached.next,
      packets: walked.packets + (reached?.packets ?? 0),
      amountMinor: walked.amountMinor + (reached?.amountMinor ?? 0n),
    };
    await this.rows
      .keep(userId, currency, sum)
      .catch((error: unknown) => this.logger.warn(`What was counted is counted again: ${String(error)}`));
    return sum;
  }

  /** Adds credits from one on, up to the one that `until` names, as far as one request may. */
  private async walk(
    userId: string,
    currency: string,
    from: string,
    until: string | undefined,
  ): Promise<Omit<CountedPackets, 'newest'>> {
    let [packets, amountMinor, next] = [0, 0n, from];
    const stretches = new Set<string>();
    for await (const credit of this.chain.walk(userId, currency, from, AT_ONCE)) {
      if (credit.link === until) break;
      if (credit.id === null) return { packets, amountMinor, next: NO_LINK };
      stretches.add(String(stretchAround(credit.link, this.config.PARTITION_ACTIVITIES).first));
      if (packets === CREDITS_MAX || stretches.size > STRETCHES_MAX) break;
      packets += 1;
      amountMinor += BigInt(credit.amountMinor);
      next = credit.previous ?? NO_LINK;
    }
    return { packets, amountMinor, next };
  }
}
