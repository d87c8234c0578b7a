import { totalmem } from 'node:os';

const MIB = 1024 * 1024;

/** What Postgres takes unless told otherwise, and more than a machine of its own for development has use for. */
const LEAST_MIB = 128;
const MOST_MIB = 1024;

/** In MiB: a quarter of the memory, which is what the manual of Postgres advises, within bounds. */
export function sharedBuffersMib(memoryBytes = memoryOfMachine()): number {
  return Math.min(MOST_MIB, Math.max(LEAST_MIB, Math.floor(memoryBytes / 4 / MIB)));
}

/** Of the container, where one limits it; without a limit Node answers with 0, undefined or an enormous number. */
function memoryOfMachine(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}
