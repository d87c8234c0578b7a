import { type Queue, Worker } from 'bullmq';
import { within } from '../../../libs/deadline';

/** Nest closes modules one by one, so the sum must be less than SHUTDOWN_TIMEOUT_MS. */
const ENDS_WITHIN_MS = 1_000;
const JOBS_GO_ON_MS = 2_000;
const CUT_WITHIN_MS = 500;

/**
 * Ends the jobs in progress, then the connections. A silent connection is cut: the process that reruns the
 * job reports what this process could not.
 */
export const closeInTime = (part: Queue | Worker): Promise<void> => closeOrCut(part, () => part.disconnect());

/** Others continue to use the connection; only the connection on which a worker waits for jobs is its own. */
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
