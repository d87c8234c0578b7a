import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Batcher } from '../../../libs/batching';
import { packetOf } from '../../../libs/red-packet-id';
import { Batch, type BatchTerms } from '../../../libs/split';
import { busy, decodeCursor, encodeCursor, type PageQuery, toPage } from '../../platform/http';
import { ActivityRepository, noSuchActivity, rowsArchived } from '../../core/activity';
import { Currencies } from '../../core/currency';
import type { BatchTermsDto, FairBatchDto, FairnessDto, PacketProofDto } from './fairness.dto';
import { packetNotYours, packetUncommitted } from './fairness.error';
import { type BatchRow, FairnessRepository } from './fairness.repository';

/** Batches per query that strangers share, and the most on a page: about 60 KB. */
const BLOCK_SIZE = 100;

/** Blocks that are shared at a moment. */
const BLOCKS_MAX = 200;

/** Counted from the answer of Postgres. */
const KEPT_MS = 1_000;

const LOOKS_AT_A_TIME = 2;
const LOOKS_WAITING_MAX = 100;

/** Queries that strangers at one address may have waiting, each for a different block. */
const LOOKS_PER_ADDRESS_MAX = 8;

interface Place {
  readonly activityId: string;
  readonly blockNo: number;
}

interface Block {
  readonly batches: FairBatchDto[];
  /** Batches of the activity. */
  readonly count: number;
}

@Injectable()
export class FairnessService {
  private readonly blocks = new LRUCache<string, Promise<Block>>({ max: BLOCKS_MAX });
  private readonly looks = new Batcher<Place, Block>({
    run: (places) => Promise.all(places.map((place) => this.lookAt(place))),
    sizeMax: 1,
    concurrencyMax: LOOKS_AT_A_TIME,
  });
  /** How many queries are waiting or in progress, by the address that asked first. */
  private readonly lookers = new Map<string, number>();

  constructor(
    private readonly fairness: FairnessRepository,
    private readonly activities: ActivityRepository,
    private readonly currencies: Currencies,
  ) {}

  /** @throws activityNotFound */
  async ofActivity(activityId: string, query: PageQuery): Promise<FairnessDto> {
    return this.page(activityId, firstBatchOf(query), query.limit);
  }

  /**
   * All who ask without a token share one query for a block, whatever page of it they read, and its answer is kept for
   * a second. The first block says how many there are, so nobody asks beyond the last one.
   * @throws activityNotFound, busy
   */
  async forStranger(address: string, activityId: string, query: PageQuery): Promise<FairnessDto> {
    const first = firstBatchOf(query);
    const { count } = await this.block(address, { activityId, blockNo: 0 });
    const firstBlock = Math.floor(first / BLOCK_SIZE);
    const blocks: Block[] = [];
    for (let no = firstBlock; no * BLOCK_SIZE < Math.min(first + query.limit, count); no++)
      blocks.push(await this.block(address, { activityId, blockNo: no }));
    const offset = first - firstBlock * BLOCK_SIZE;
    const batches = blocks.flatMap((block) => block.batches).slice(offset, offset + query.limit);
    const last = batches.at(-1)?.batch;
    return { batches, nextCursor: last && Number(last) + 1 < count ? encodeCursor(last) : null };
  }

  /** @throws busy */
  private block(address: string, place: Place): Promise<Block> {
    const key = `${place.activityId}/${place.blockNo}`;
    const known = this.blocks.get(key);
    if (known) return known;
    const block = this.inLine(address, place);
    this.blocks.set(key, block);
    const forgetLater = () => void setTimeout(() => this.blocks.delete(key), KEPT_MS).unref();
    block.then(forgetLater, forgetLater);
    return block;
  }

  /** Throws at once, so that nobody shares the refusal. @throws busy */
  private inLine(address: string, place: Place): Promise<Block> {
    const own = this.lookers.get(address) ?? 0;
    if (own >= LOOKS_PER_ADDRESS_MAX || this.looks.size >= LOOKS_WAITING_MAX)
      throw busy('Too many requests without a token are in progress; try again.', { retryAfterSeconds: 1 });
    this.lookers.set(address, own + 1);
    return this.looks.submit(place).finally(() => {
      const left = this.lookers.get(address)! - 1;
      if (left > 0) this.lookers.set(address, left);
      else this.lookers.delete(address);
    });
  }

  private async lookAt({ activityId, blockNo }: Place): Promise<Block> {
    const fromBatch = blockNo * BLOCK_SIZE;
    const { batches, nextCursor } = await this.page(activityId, fromBatch, BLOCK_SIZE);
    const isLast = nextCursor === null;
    const count = isLast ? fromBatch + batches.length : await this.fairness.countBatches(activityId);
    return { batches, count };
  }

  private async page(activityId: string, fromBatch: number, limit: number): Promise<FairnessDto> {
    const rows = await this.fairness.batches(activityId, fromBatch, limit + 1);
    if (rows.length === 0 && !(await this.activities.facts(activityId))) throw noSuchActivity(activityId);
    const { items, nextCursor } = toPage(rows, limit, ({ batchNo }) => String(batchNo));
    return { batches: await Promise.all(items.map((row) => this.batch(activityId, row))), nextCursor };
  }

  /**
   * Hashes a tile of at most 256 packets. The salts of others stay here: with them the amounts of
   * neighbours could be guessed.
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

  /**
   * The terms of packets that a former release drew, by version 1. Requests may leave decimals out; terms have all of
   * them, or no check would read them.
   */
  private async uncommitted(activityId: string, row: BatchRow): Promise<BatchTermsDto> {
    const { batchNo, packetCount, amountMinor, split } = row;
    const { kind, min, max, tiers } = split;
    const currency = await this.currencies.of(row.currency);
    const money = (amount: string) => currency.format(currency.parse(amount));
    return {
      v: '1',
      activity: activityId,
      batch: String(batchNo),
      count: String(packetCount),
      total: currency.format(BigInt(amountMinor)),
      currency: row.currency,
      kind,
      ...(min !== undefined && { min: money(min) }),
      ...(max !== undefined && { max: money(max) }),
      ...(tiers && {
        tiers: tiers.map(({ amount, count }) => ({ amount: money(amount), count: String(count) })),
      }),
    };
  }
}

function firstBatchOf({ cursor }: PageQuery): number {
  const after = decodeCursor(cursor, isBatchNo);
  return after === undefined ? 0 : Number(after) + 1;
}

const isBatchNo = (value: string): boolean => /^\d{1,7}$/.test(value);
