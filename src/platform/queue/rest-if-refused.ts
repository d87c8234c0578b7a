import type { Worker } from 'bullmq';

const REST_MS = 1_000;

/**
 * BullMQ asks for the next job again at once when Redis refuses to hand one out, because it is full or a replica: thousands
 * of times a second, each with an error. A worker that was refused rests before it goes on.
 */
export function restIfRefused(worker: Worker, error: Error): void {
  if (error.name !== 'ReplyError' || worker.isPaused() || worker.closing) return;
  void worker.pause(true);
  setTimeout(() => void (worker.closing ?? worker.resume()), REST_MS).unref();
}
