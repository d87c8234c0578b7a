import type { Queue, Worker } from 'bullmq';
import { within } from '../../../libs/deadline';

const CLOSE_TIMEOUT_MS = 3_000;
const CUT_TIMEOUT_MS = 1_000;

/**
 * Ends jobs under way, then the connections. A connection that fell silent is cut instead of waited for: what it still
 * had to report is reported by whoever runs the job again.
 */
export async function closeInTime(part: Queue | Worker): Promise<void> {
  await within(CLOSE_TIMEOUT_MS, part.close())
    .catch(() => within(CUT_TIMEOUT_MS, part.disconnect()))
    .catch(() => undefined);
}
