import { totalmem } from 'node:os';

const MIB = 1024 * 1024;

/** Postgres' default, and the most that is useful here. */
const LEAST_MIB = 128;
const MOST_MIB = 1024;

/** Returns MiB: a quarter of the memory, as the manual of Postgres advises, within bounds. */
export function sharedBuffersMib(memoryBytes = memoryOfMachine()): number {
  return Math.min(MOST_MIB, Math.max(LEAST_MIB, Math.floor(memoryBytes / 4 / MIB)));
}

/** Without a limit of the container Node answers 0, undefined or an enormous number. */
function memoryOfMachine(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}
