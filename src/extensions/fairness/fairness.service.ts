import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { packetOf } from '../../../libs/red-packet-id';
import { sharedLook } from '../../../libs/shared-look';
import { Slots } from '../../../libs/slots';
import { Batch, type BatchTerms } from '../../../libs/split';
import { busy, decodeCursor, type PageQuery, toPage } from '../../platform/http';
import { ActivityRepository, noSuchActivity, rowsArchived } from '../../core/activity';
import { Currencies } from '../../core/currency';
import type { BatchTermsDto, FairBatchDto, FairnessDto, PacketProofDto } from './fairness.dto';
import { packetNotYours, packetUncommitted } from './fairness.error';
import { type BatchRow, FairnessRepository } from './fairness.repository';

/** People without a token may use half of them. */
const SLOTS = 4;

/** Pages that are shared at a moment. A page of 100 batches has some 60 KB. */
const PAGES_MAX = 200;

@Injectable()
export class FairnessService {
  private readonly slots = new Slots(SLOTS);
  private readonly pages = new LRUCache<string, () => Promise<FairnessDto>>({ max: PAGES_MAX });

  constructor(
    private readonly fairness: FairnessRepository,
    private readonly activities: ActivityRepository,
    private readonly currencies: Currencies,
  ) {}

  /** @throws activityNotFound */
  ofActivity(activityId: string, query: PageQuery): Promise<FairnessDto> {
    return this.page(activityId, firstBatchOf(query), query.limit);
  }

  /** All who ask without a token share one look at a page, and keep it for a second. @throws activityNotFound, busy */
  forStranger(activityId: string, query: PageQuery): Promise<FairnessDto> {
    const fromBatch = firstBatchOf(query);
    const key = `${activityId}/${fromBatch}/${query.limit}`;
    const refusal = () => {
      this.pages.delete(key);
      return busy('Too many read without a token at once; try again.', { retryAfterSeconds: 1 });
    };
    const page = () => this.page(activityId, fromBatch, query.limit);
    const look = this.pages.get(key) ?? sharedLook(() => this.slots.run('user', page, refusal));
    this.pages.set(key, look);
    return look();
  }

  private async page(activityId: string, fromBatch: number, limit: number): Promise<FairnessDto> {
    const rows = await this.fairness.batches(activityId, fromBatch, limit + 1);
    if (rows.length === 0 && !(await this.activities.facts(activityId))) throw noSuchActivity(activityId);
    const { items, nextCursor } = toPage(rows, limit, ({ batchNo }) => String(batchNo));
    return { batches: await Promise.all(items.map((row) => this.batch(activityId, row))), nextCursor };
  }

  /**
   * Hashes a tile of at most 256 packets. The salts of others stay here: with them the amounts of
   * neighbours could be tried.
   *
   * @throws packetNotYours, packetUncommitted, activityArchived
   */
  async ofPacket(redPacketId: string, userId: string): Promise<PacketProofDto> {
    const { activityId, no } = packetOf(redPacketId);
    const won = await this.fairness.batchOf(activityId, no, userId);
    if (!won) {
      if (await this.activities.isKnownToBeArchived(activityId)) throw rowsArchived(activityId);
      throw packetNotYours(`You hold no packet ${redPacketId}.`);
    }
    if (won.terms === null) throw packetUncommitted(`Packet ${redPacketId} has no commitment.`);
    const batch = new Batch(won.seed, JSON.parse(won.terms) as BatchTerms, won.firstNo);
    const tile = batch.tileOf(no);
    const [amounts, kept] = await Promise.all([
      this.fairness.amountsMinor(activityId, tile.firstNo, tile.count),
      this.fairness.keptHashes(activityId, won.firstNo, batch.keptOffsets(no)),
    ]);
    return {
      activityId,
      batch: batch.terms.batch,
      no: String(no),
      amount: (await this.currencies.ofActivity(activityId)).format(BigInt(won.amountMinor)),
      salt: batch.saltOf(no).toString('hex'),
      path: batch.pathOf(no, amounts, kept),
      root: won.root,
    };
  }

  private async batch(activityId: string, row: BatchRow): Promise<FairBatchDto> {
    const { batchNo, firstNo, terms, commit, root, seed } = row;
    return {
      batch: String(batchNo),
      firstNo: String(firstNo),
      terms: terms === null ? await this.uncommitted(activityId, row) : (JSON.parse(terms) as BatchTermsDto),
      commit,
      root,
      seed,
    };
  }

  /** The terms of packets that a former release drew, by version 1. */
  private async uncommitted(activityId: string, row: BatchRow): Promise<BatchTermsDto> {
    const { batchNo, packetCount, amountMinor, currency } = row;
    const { tiers, ...split } = row.split;
    return {
      v: '1',
      activity: activityId,
      batch: String(batchNo),
      count: String(packetCount),
      total: (await this.currencies.of(currency)).format(BigInt(amountMinor)),
      currency,
      ...split,
      ...(tiers && { tiers: tiers.map(({ amount, count }) => ({ amount, count: String(count) })) }),
    };
  }
}

function firstBatchOf({ cursor }: PageQuery): number {
  const after = decodeCursor(cursor, isBatchNo);
  return after === undefined ? 0 : Number(after) + 1;
}

const isBatchNo = (value: string): boolean => /^\d{1,7}$/.test(value);
