import { type Queue, Worker } from 'bullmq';
import { within } from '../../../libs/deadline';

/**
 * Nest closes one module after the other, so the sum of these must be less than
 * SHUTDOWN_TIMEOUT_MS.
 */
const JOBS_END_WITHIN_MS = 3_000;
const QUEUE_ENDS_WITHIN_MS = 1_000;
const CUT_WITHIN_MS = 500;

/**
 * Ends jobs under way, then the connections, also for those that share them. A connection that
 * became silent is cut. What it still had to report is reported by the process that runs the job
 * again.
 */
export const closeInTime = (part: Queue | Worker): Promise<void> => closeOrCut(part, () => part.disconnect());

/**
 * Closes a part whose connection others go on using. Only the connection on which a worker waits
 * for jobs is its own.
 */
export const closeApart = (part: Queue | Worker): Promise<void> =>
  closeOrCut(part, async () => {
    if (part instanceof Worker) await part.getBackend().disconnectBlocking();
  });

async function closeOrCut(part: Queue | Worker, cut: () => Promise<void>): Promise<void> {
  const timeoutMs = part instanceof Worker ? JOBS_END_WITHIN_MS : QUEUE_ENDS_WITHIN_MS;
  await within(timeoutMs, part.close())
    .catch(() => within(CUT_WITHIN_MS, cut()))
    .catch(() => undefined);
}
