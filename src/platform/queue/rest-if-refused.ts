import type { Worker } from 'bullmq';

const REST_MS = 1_000;

/** Pauses a worker that Redis refuses: BullMQ would ask again thousands of times a second. */
export function restIfRefused(worker: Worker, error: Error): void {
  if (error.name !== 'ReplyError' || worker.isPaused() || worker.closing) return;
  void worker.pause(true);
  setTimeout(() => void (worker.closing ?? worker.resume()), REST_MS).unref();
}
