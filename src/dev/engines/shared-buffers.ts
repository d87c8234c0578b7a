import { totalmem } from 'node:os';

const MIB = 1024 * 1024;

/** Postgres' default, and the most that is useful here. */
const LEAST_MIB = 128;
const MOST_MIB = 1024;

/** Returns MiB: a quarter of the memory, as the manual of Postgres advises, within bounds. */
export function sharedBuffersMib(memoryBytes = memoryOfMachine()): number {
  return Math.min(MOST_MIB, Math.max(LEAST_MIB, Math.floor(memoryBytes / 4 / MIB)));
}

/** Node answers 0, undefined or an enormous number where no container limits it. */
function memoryOfMachine(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}
