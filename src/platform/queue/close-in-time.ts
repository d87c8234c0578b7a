import { type Queue, Worker } from 'bullmq';
import { within } from '../../../libs/deadline';

/** Nest ends one module after the other, so all of these together have to fit into SHUTDOWN_TIMEOUT_MS. */
const JOBS_END_WITHIN_MS = 3_000;
const QUEUE_ENDS_WITHIN_MS = 1_000;
const CUT_WITHIN_MS = 500;

/**
 * Ends jobs under way, then the connections, also for those who share them. A connection that fell silent is cut instead of
 * waited for: what it still had to report is reported by the process that runs the job again.
 */
export const closeInTime = (part: Queue | Worker): Promise<void> => closeOrCut(part, () => part.disconnect());

/** The same of a part whose connection others go on using: its own is only the one on which a worker waits for jobs. */
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
