import { Injectable } from '@nestjs/common';
import { packetOf, redPacketId } from '../../../libs/red-packet-id';
import { decodeCursor, type Page, type PageQuery, toPage } from '../../platform/http';
import { Currencies } from '../../core/currency';
import { walletFrozen } from '../../core/wallet';
import { WonPacketRepository } from '../../core/winners';
import { codeNotCredited, codeNotFound } from './code-pool.error';
import { CodePoolRepository } from './code-pool.repository';
import { PoolKeys } from './pool-keys';
import type { SeenCodeDto, WonCodeDto } from './won-code.dto';
import { type SeenCode, type ShownCode, WonCodeRepository } from './won-code.repository';

/** Shows winners their codes. */
@Injectable()
export class WonCodeService {
  constructor(
    private readonly codes: WonCodeRepository,
    private readonly pools: CodePoolRepository,
    private readonly keys: PoolKeys,
    private readonly won: WonPacketRepository,
    private readonly currencies: Currencies,
  ) {}

  /**
   * The first showing is recorded before anyone sees the code.
   * @throws codeNotFound, codeNotCredited, walletFrozen, sealKeyMissing
   */
  async show(userId: string, redPacketId: string): Promise<WonCodeDto> {
    this.keys.require();
    const { activityId, no } = packetOf(redPacketId);
    const shown = (await this.codes.findShown(activityId, no)) ?? (await this.showFirst(userId, redPacketId));
    if (shown?.userId !== userId) throw codeNotFound(`You hold no packet ${redPacketId} that gives a code.`);
    const pool = (await this.pools.findPool(shown.poolId))!;
    const key = await this.keys.of(pool);
    return {
      ...seenView({ ...shown, activityId, packetNo: no, poolName: pool.name }),
      code: key.open(shown.no, shown.sealed),
    };
  }

  /** Codes that were once seen are listed forever: claims leave with the archive, showings stay. */
  async seenBy(userId: string, { limit, cursor }: PageQuery): Promise<Page<SeenCodeDto>> {
    const after = decodeCursor(cursor);
    const rows = await this.codes.seenBy(
      userId,
      after === undefined ? undefined : packetOf(after),
      limit + 1,
    );
    const { items, nextCursor } = toPage(rows, limit, (row) => redPacketId(row.activityId, row.packetNo));
    return { items: items.map(seenView), nextCursor };
  }

  private async showFirst(userId: string, redPacketId: string): Promise<ShownCode | undefined> {
    const { activityId, no } = packetOf(redPacketId);
    const claim = await this.won.findPacket(activityId, no);
    if (claim?.userId !== userId) return undefined;
    if ((await this.currencies.ofActivity(activityId)).kind !== 'codes') return undefined;
    if (claim.creditedAt === null)
      throw codeNotCredited(
        claim.settlement === 'void'
          ? `Packet ${redPacketId} was declared void, so nobody gets its code.`
          : `Packet ${redPacketId} is not in your wallet yet. Ask again in a moment.`,
      );
    await this.codes.show(activityId, no, userId);
    const shown = await this.codes.findShown(activityId, no);
    if (shown) return shown;
    if (await this.codes.isFrozen(activityId, userId))
      throw walletFrozen(`Your wallet is frozen, so it keeps the code of packet ${redPacketId}.`);
    // Postgres was restored without its last commits.
    throw codeNotCredited(`The code of packet ${redPacketId} is not recorded yet. Ask again in a moment.`);
  }
}

const seenView = ({ activityId, packetNo, poolId, poolName, firstShownAt }: SeenCode): SeenCodeDto => ({
  redPacketId: redPacketId(activityId, packetNo),
  poolId,
  poolName,
  firstShownAt: firstShownAt.toISOString(),
});
