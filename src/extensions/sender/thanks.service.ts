import { Injectable, Logger } from '@nestjs/common';
import { packetOf } from '../../../libs/red-packet-id';
import { ActivityRepository } from '../../core/activity';
import { Currencies } from '../../core/currency';
import { NewsListeners } from '../../core/news';
import { type ClaimRow, WonPacketRepository } from '../../core/winners';
import { IdempotencyService, type IdempotentRequest } from '../../platform/http';
import type { NewsOfThanks, ThanksDto } from './thanks.dto';
import { packetNotFound, packetVoid, thanksGiven } from './thanks.error';
import { ThanksRepository } from './thanks.repository';

/**
 * Thanks that are repeated within this time are published again, in case the process died before. Later, a message
 * that names the user could still be on its way when the user is forgotten.
 */
const PUBLISHED_SECONDS = 3_600;

/** Lets winners thank the senders of their packets. */
@Injectable()
export class ThanksService {
  private readonly logger = new Logger('Thanks');

  constructor(
    private readonly won: WonPacketRepository,
    private readonly rows: ThanksRepository,
    private readonly activities: ActivityRepository,
    private readonly idempotency: IdempotencyService,
    private readonly currencies: Currencies,
    private readonly news: NewsListeners,
  ) {}

  /**
   * Thanks are never taken back, so a user who repeats them gets the same answer.
   * @throws packetNotFound, packetVoid, thanksGiven
   */
  async thank(request: IdempotentRequest, redPacketId: string, text: string): Promise<ThanksDto> {
    const claim = await this.packetOfCaller(request.caller.userId, redPacketId);
    const thanks = await this.idempotency.once(request, async (tx): Promise<ThanksDto> => {
      const said = await this.rows.say(tx, claim, text);
      if (said.text !== text) throw thanksGiven(`You have thanked for packet ${redPacketId} in other words.`);
      const { activityId } = claim;
      return { activityId, redPacketId, text, at: said.thankedAt.toISOString() };
    });
    if (await this.rows.wereSaidWithin(PUBLISHED_SECONDS, claim)) await this.publish(claim, thanks);
    return thanks;
  }

  /** Someone else's packet is answered like one that does not exist. */
  private async packetOfCaller(userId: string, redPacketId: string): Promise<ClaimRow> {
    const { activityId, no } = packetOf(redPacketId);
    const claim = await this.won.findPacket(activityId, no);
    if (claim?.userId !== userId)
      throw packetNotFound(`You hold no packet ${redPacketId}, or it is not confirmed yet.`);
    if (claim.settlement === 'void')
      throw packetVoid(`Packet ${redPacketId} was declared void, so there is nothing to thank for.`);
    return claim;
  }

  /** A hint, except for webhooks: the sender finds the thanks in the list of winners as well. */
  private async publish(claim: ClaimRow, thanks: ThanksDto): Promise<void> {
    await this.news
      .publishOrKeep(['packet.thanked'], async () => [await this.newsOf(claim, thanks)])
      .catch((error: unknown) =>
        this.logger.warn(`No client heard of the thanks for packet ${thanks.redPacketId}: ${String(error)}`),
      );
  }

  private async newsOf(
    { userId: thankedBy, amountMinor }: ClaimRow,
    { activityId, redPacketId, text, at }: ThanksDto,
  ): Promise<NewsOfThanks> {
    const { sponsorId: userId } = (await this.activities.sendersOf([activityId])).get(activityId)!;
    const currency = await this.currencies.ofActivity(activityId);
    const amount = currency.format(amountMinor);
    const data = { activityId, at, redPacketId, thankedBy, text, amount, currency: currency.code };
    return { id: `thanks_${redPacketId}`, event: 'packet.thanked', userId, data };
  }
}
