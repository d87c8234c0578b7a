import { parentPort } from 'node:worker_threads';
import { Batch } from './batch';
import type { Answer, DrawingRequest } from './drawing';

const postAnswer = (content: Answer): void => parentPort!.postMessage(content);

/** Answers twice: with the amounts and the tree, or with the error. */
parentPort!.on('message', ({ seed, terms, firstNo }: DrawingRequest) => {
  const batch = new Batch(seed, terms, firstNo);
  try {
    const amounts = batch.amounts();
    postAnswer({ value: amounts });
    postAnswer({ value: batch.tree(amounts) });
  } catch (error) {
    postAnswer({ error });
    postAnswer({ error });
  }
});
