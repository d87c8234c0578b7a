import { type Queue, Worker } from 'bullmq';
import { within } from '../../../libs/deadline';

/** Nest closes one module after the other: the sum must be less than SHUTDOWN_TIMEOUT_MS. */
const ENDS_WITHIN_MS = 1_000;
const JOBS_GO_ON_MS = 2_000;
const CUT_WITHIN_MS = 500;

/**
 * Ends jobs under way, then the connections. A silent one is cut: the process that runs the job
 * again reports what this one still had to.
 */
export const closeInTime = (part: Queue | Worker): Promise<void> => closeOrCut(part, () => part.disconnect());

/** Others go on using the connection; a worker's own is only the one on which it waits for jobs. */
export const closeApart = (part: Queue | Worker): Promise<void> =>
  closeOrCut(part, async () => {
    if (part instanceof Worker) await part.getBackend().disconnectBlocking();
  });

async function closeOrCut(part: Queue | Worker, cut: () => Promise<void>): Promise<void> {
  const closed = part.close();
  // Nest closes it as well, and waits without a limit. While Redis is away BullMQ may never end.
  part.close = () => Promise.resolve();
  await within(ENDS_WITHIN_MS, closed)
    .catch((late: Error) => (isBusy(part) ? within(JOBS_GO_ON_MS, closed) : Promise.reject(late)))
    .catch(() => within(CUT_WITHIN_MS, cut()))
    .catch(() => undefined);
}

const isBusy = (part: Queue | Worker): boolean =>
  part instanceof Worker && part['lockManager'].getActiveJobCount() > 0;
