export { Batcher } from './batcher';
export type { BatcherOptions } from './batcher';
