import type { Worker } from 'bullmq';

const REST_MS = 1_000;

/**
 * Pauses a worker whose request for a job was refused, because Redis is full or a replica. BullMQ
 * would ask again at once, thousands of times a second, each with an error.
 */
export function restIfRefused(worker: Worker, error: Error): void {
  if (error.name !== 'ReplyError' || worker.isPaused() || worker.closing) return;
  void worker.pause(true);
  setTimeout(() => void (worker.closing ?? worker.resume()), REST_MS).unref();
}
