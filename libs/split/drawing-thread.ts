import { parentPort, workerData } from 'node:worker_threads';
import { Batch } from './batch';
import type { DrawingRequest } from './drawing';

const { seed, terms, firstNo } = workerData as DrawingRequest;
const batch = new Batch(seed, terms, firstNo);
const amounts = batch.amounts();
parentPort!.postMessage(amounts);
parentPort!.postMessage(batch.tree(amounts));
