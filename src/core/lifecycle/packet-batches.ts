import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Currency } from '../../../libs/money';
import { canonicalJson } from '../../../libs/packet-proof';
import type { Pace } from '../../../libs/pace';
import { batchTerms, draw, NO_COMMIT, type SplitTerms, type SponsorWord } from '../../../libs/split';
import { isHeldUp } from '../../platform/postgres';
import { creationUnderWay } from '../activity';
import { insertPackets } from './insert-packets';

export interface NewBatch {
  readonly activityId: string;
  readonly sponsorId: string;
  /** The number of its first packet. */
  readonly firstNo: number;
  readonly seed: string;
  /** The word of the sponsor, if they have brought one. */
  readonly word?: SponsorWord;
  readonly terms: SplitTerms;
  readonly currency: Currency;
  /** The plan by which they are released; without a plan, all at once. */
  readonly pace?: Pace;
}

interface ChainPosition {
  readonly batchNo: number;
  /** The place in the chain of the sponsor. */
  readonly place: number;
  readonly previous: string;
}

/**
 * Draws packets and writes them together with the commitment to them, which is public from the
 * commit on: before any of them can be won, because they are loaded after it.
 */
@Injectable()
export class PacketBatches {
  /**
   * While the packets are copied, a thread of its own computes the tree of a large batch.
   * @throws creationUnderWay
   */
  async write(
    tx: EntityManager,
    { activityId, sponsorId, firstNo, seed, word, terms, currency, pace }: NewBatch,
  ): Promise<void> {
    const { place, ...next } = await nextPlace(tx, { activityId, sponsorId, firstNo });
    const published = batchTerms({ activityId, ...next }, terms, currency, pace, word);
    const drawing = draw({ seed, terms: published, firstNo });
    await insertPackets(tx, activityId, await drawing.amountsMinor, firstNo);
    const { root, upper } = await drawing.tree;
    await tx.query(
      `with counted as (update activity set batches = batches + 1 where id = $1)
       insert into packet_batch
         (activity_id, batch_no, first_no, sponsor_id, place, terms, commitment, root, upper_rows)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        ...[activityId, next.batchNo, firstNo, sponsorId, place],
        ...[canonicalJson({ ...published }), drawing.commit, root, upper],
      ],
    );
  }
}

/**
 * The next place in the chain of a sponsor, whose other batches wait from here to the end of the
 * transaction: the terms name the batch before, and all amounts follow from the terms. Two
 * statements, because the second must see what was committed while the first waited.
 * @throws creationUnderWay when a large batch keeps the chain for too long
 */
async function nextPlace(
  tx: EntityManager,
  { activityId, sponsorId, firstNo }: Pick<NewBatch, 'activityId' | 'sponsorId' | 'firstNo'>,
): Promise<ChainPosition> {
  const lock = `select pg_advisory_xact_lock(hashtextextended('chain:' || $1, 0))`;
  await tx.query(lock, [sponsorId]).catch((error: unknown) => {
    if (!isHeldUp(error)) throw error;
    throw creationUnderWay('Packets of this sponsor are being written.', { retryAfterSeconds: 1 });
  });
  const [row] = await tx.query<(ChainPosition & { previous: string | null })[]>(
    `select coalesce(place + 1, 0) as place, encode(commitment, 'hex') as previous,
            case when $3::integer = 1 then 0
                 else (select 1 + count(*)::integer from top_up where activity_id = $2 and first_no < $3) end as "batchNo"
       from (select 1) as one
       left join lateral (select place, commitment from packet_batch
                           where sponsor_id = $1 order by place desc limit 1) as last on true`,
    [sponsorId, activityId, firstNo],
  );
  return { ...row!, previous: row!.previous ?? NO_COMMIT };
}
