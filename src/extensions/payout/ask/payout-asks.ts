import { Injectable } from '@nestjs/common';
import { Batcher } from '../../../../libs/batching';
import { IdempotencyService, type IdempotentRequest } from '../../../platform/http';
import { isHeldUp, isOutage } from '../../../platform/postgres';
import { Currencies } from '../../../core/currency';
import type { AskForPayoutBody } from './ask.dto';
import { type Ask, AskedPayouts } from './asked-payouts';
import type { PayoutDto } from '../book/payout.dto';

/** Each locks its Idempotency-Key and perhaps its user's sum, and Postgres has room for a few thousand locks. */
const ASKS_PER_COMMIT_MAX = 100;
const COMMITS_IN_FLIGHT_MAX = 2;

/** Another request of the same user is in this commit. */
const LATER = 'later';

/** A refusal or a failure is an error. Undefined: the wallet is locked, or another deed of its user is under way. */
type Outcome = PayoutDto | Error | typeof LATER | undefined;

/**
 * Takes requests for payouts. All of a channel move money into its one account, so simultaneous ones share a
 * commit: on its own, each would keep that account locked through several round trips, and a withdrawing
 * crowd would queue up in one line.
 *
 * A request is judged together with others only if it cannot disturb them: one at a time of each user, and
 * none whose wallet someone else has locked, or of whose user another deed is under way.
 */
@Injectable()
export class PayoutAsks {
  /** Channel → its commits, while there are any. A channel that is held up does not delay the others. */
  private readonly commits = new Map<string, Batcher<Ask, Outcome>>();

  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly asked: AskedPayouts,
    private readonly currencies: Currencies,
  ) {}

  get channelsUnderWay(): number {
    return this.commits.size;
  }

  /** @throws what `AskedPayouts.begin` refuses a request with */
  async ask(request: IdempotentRequest, body: AskForPayoutBody): Promise<PayoutDto> {
    const { amount, channelId } = body;
    const currency = await this.currencies.named(body);
    const ask = { request, channelId, currency, amountMinor: currency.parse(amount) };
    let outcome: Outcome;
    do outcome = await this.join(ask);
    while (outcome === LATER);
    const [alone] = outcome === undefined ? await this.decideTogether(channelId, [ask], true) : [outcome];
    if (alone === undefined || alone instanceof Error) throw alone ?? new Error('It was not judged.');
    return alone;
  }

  private async join(ask: Ask): Promise<Outcome> {
    const { channelId } = ask;
    const commits = this.commits.get(channelId) ?? this.open(channelId);
    try {
      return await commits.submit(ask);
    } finally {
      if (commits.size === 0 && this.commits.get(channelId) === commits) this.commits.delete(channelId);
    }
  }

  private open(channelId: string): Batcher<Ask, Outcome> {
    const commits = new Batcher<Ask, Outcome>({
      run: (asks) => this.decide(channelId, asks),
      sizeMax: ASKS_PER_COMMIT_MAX,
      concurrencyMax: COMMITS_IN_FLIGHT_MAX,
    });
    this.commits.set(channelId, commits);
    return commits;
  }

  private async decide(channelId: string, asks: readonly Ask[]): Promise<Outcome[]> {
    const firsts = new Map<string, Ask>();
    for (const ask of asks)
      if (!firsts.has(ask.request.caller.userId)) firsts.set(ask.request.caller.userId, ask);
    const together = [...firsts.values()];
    const outcomes = await this.decideOrHalve(channelId, together);
    const places = new Map(together.map((ask, i) => [ask, outcomes[i]]));
    return asks.map((ask): Outcome => (places.has(ask) ? places.get(ask) : LATER));
  }

  /**
   * If one request makes the commit fail, the others are judged again without it. A failure that would hit
   * everyone fails all of them.
   */
  private async decideOrHalve(channelId: string, asks: readonly Ask[]): Promise<Outcome[]> {
    try {
      return await this.decideTogether(channelId, asks, false);
    } catch (error) {
      if (asks.length === 1 || isHeldUp(error) || isOutage(error)) return asks.map(() => error as Error);
      const half = asks.length >> 1;
      return [
        ...(await this.decideOrHalve(channelId, asks.slice(0, half))),
        ...(await this.decideOrHalve(channelId, asks.slice(half))),
      ];
    }
  }

  private decideTogether(
    channelId: string,
    asks: readonly Ask[],
    waits: boolean,
  ): Promise<(PayoutDto | Error | undefined)[]> {
    return this.idempotency.onceAll(asks, (tx, fresh) => this.asked.begin(tx, channelId, fresh, waits));
  }
}
