import type { EntityManager } from 'typeorm';
import { copyRows } from '../../platform/postgres';

/** One copy ends well within the time limit of a statement. */
const PACKETS_PER_COPY = 100_000;
const PACKETS_PER_TEXT = 2_000;

/** Writes packets whose numbers begin with `firstNo`, in slices, so that memory does not grow. */
export async function insertPackets(
  tx: EntityManager,
  activityId: string,
  amountsMinor: BigInt64Array,
  firstNo: number,
): Promise<void> {
  for (let start = 0; start < amountsMinor.length; start += PACKETS_PER_COPY) {
    const amounts = amountsMinor.subarray(start, start + PACKETS_PER_COPY);
    const rows = packetRows(activityId, firstNo + start, amounts);
    await copyRows(tx, 'packet (activity_id, no, amount_minor)', rows);
  }
}

function* packetRows(activityId: string, firstNo: number, amountsMinor: BigInt64Array): Generator<string> {
  for (let start = 0; start < amountsMinor.length; start += PACKETS_PER_TEXT) {
    let rows = '';
    for (const [i, amountMinor] of amountsMinor.subarray(start, start + PACKETS_PER_TEXT).entries())
      rows += `${activityId}\t${firstNo + start + i}\t${amountMinor}\n`;
    yield rows;
  }
}
