import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { Batch, type BatchTerms } from '../../../libs/split';

interface WrittenBatch {
  readonly activityId: string;
  readonly batchNo: number;
  readonly firstNo: number;
  readonly terms: string;
  readonly seed: string;
  readonly root: Buffer;
  readonly upper: Buffer;
  /** SHA-256 of the amounts of its packets, as text in their order. */
  readonly packets: Buffer;
}

export interface Redrawn {
  readonly examined: number;
  readonly breaches: number;
  readonly details: readonly string[];
}

/** Draws the batches of activities again, and compares packets and trees. Leaves archived ones out. */
export async function redraw(tx: EntityManager, activityIds: readonly string[]): Promise<Redrawn> {
  const batches = await tx.query<WrittenBatch[]>(
    `select batch.activity_id as "activityId", batch_no as "batchNo", batch.first_no as "firstNo", terms, root,
            upper_rows as upper, coalesce(top_up.seed, activity.seed) as seed, packets
       from packet_batch as batch
       join activity on activity.id = batch.activity_id
       left join top_up on top_up.activity_id = batch.activity_id and top_up.first_no = batch.first_no
      cross join lateral (
        select sha256(convert_to(coalesce(string_agg(amount_minor::text, ',' order by no), ''), 'UTF8')) as packets
          from packet
         where activity_id = any($1::bigint[]) and activity_id = batch.activity_id
           and no >= batch.first_no and no < batch.first_no + substring(terms from '"count":"(\\d{1,7})"')::integer
      ) as written
      where batch.activity_id = any($1::bigint[]) and archived_at is null
      order by batch.activity_id, batch_no`,
    [activityIds],
  );
  const details = batches
    .filter((batch) => !isDrawn(batch))
    .map(
      ({ activityId, batchNo }) => `Batch ${batchNo} of activity ${activityId} is not what its seed draws.`,
    );
  return { examined: batches.length, breaches: details.length, details };
}

function isDrawn({ seed, terms, firstNo, packets, root, upper }: WrittenBatch): boolean {
  try {
    const batch = new Batch(seed, JSON.parse(terms) as BatchTerms, firstNo);
    const amounts = batch.amounts();
    if (!createHash('sha256').update(amounts.join()).digest().equals(packets)) return false;
    const tree = batch.tree(amounts);
    return tree.root.equals(root) && tree.upper.equals(upper);
  } catch {
    return false;
  }
}
