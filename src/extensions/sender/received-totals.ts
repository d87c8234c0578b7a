import { Injectable, Logger } from '@nestjs/common';
import { stretchAround } from '../../core/activity';
import { Currencies } from '../../core/currency';
import { CreditChain, NO_LINK } from '../../core/wallet';
import { AppConfig } from '../../platform/config';
import type { ReceivedTotalDto } from './received.dto';
import { type CountedPackets, type Received, ReceivedTotalRepository } from './received-total.repository';

/** The most that one request counts: credits of a wallet, and the partitions that they are in. */
const CREDITS_MAX = 1_000;
const STRETCHES_MAX = 50;

const AT_ONCE = 100;

/** The work that a request may still do. */
interface Budget {
  credits: number;
  readonly stretches: Set<string>;
}

interface Stretch {
  readonly from: string;
  readonly until: string | undefined;
  readonly budget: Budget;
}

type Sum = Omit<CountedPackets, 'newest'>;

/**
 * The sums of the packets that a user has received. The credits of a wallet are a chain that only grows, so what
 * was counted is kept, and a request counts what is new, or continues with what is older.
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
    const budget: Budget = { credits: CREDITS_MAX, stretches: new Set() };
    const recent = await this.walk(userId, currency, { from: newest, until: counted?.newest, budget });
    // If more has come in since than a request counts, the count begins again, at the newest packet.
    const known = counted && recent.next === counted.newest ? joined(recent, counted) : recent;
    const older = { from: known.next, until: undefined, budget };
    const sum = { newest, ...joined(known, await this.walk(userId, currency, older)) };
    await this.rows
      .keep(userId, currency, sum)
      .catch((error: unknown) => this.logger.warn(`What was counted is counted again: ${String(error)}`));
    return sum;
  }

  /** Adds credits from one on, up to the one that `until` names, as far as the request may. */
  private async walk(userId: string, currency: string, { from, until, budget }: Stretch): Promise<Sum> {
    let [packets, amountMinor, next] = [0, 0n, from];
    if (from === until || budget.credits === 0) return { packets, amountMinor, next };
    for await (const credit of this.chain.walk(userId, currency, from, AT_ONCE)) {
      if (credit.link === until) break;
      if (credit.id === null) return { packets, amountMinor, next: NO_LINK };
      budget.stretches.add(stretchAround(credit.link, this.config.PARTITION_ACTIVITIES).first);
      if (budget.credits === 0 || budget.stretches.size > STRETCHES_MAX) break;
      budget.credits -= 1;
      packets += 1;
      amountMinor += BigInt(credit.amountMinor);
      next = credit.previous ?? NO_LINK;
    }
    return { packets, amountMinor, next };
  }
}

const joined = (newer: Sum, older: Sum): Sum => ({
  packets: newer.packets + older.packets,
  amountMinor: newer.amountMinor + older.amountMinor,
  next: older.next,
});
