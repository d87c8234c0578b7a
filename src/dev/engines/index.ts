export { chromiumProgram } from './chromium';
export {
  distributedProgram,
  type DistributedProgram,
  onPath,
  unpackedPackage,
  unpackedPackages,
  unpackedProgram,
} from './debian-package';
export { fillOnce, throwAwayDirectory } from './directory';
export type { Engine } from './engine';
export { freePort, isPortFree, portFault } from './port';
export { type PostgresOptions, startPostgres } from './postgres';
export { birthOf, childrenOf } from './process-table';
export { Program } from './program';
export { redisBinary } from './redis-binaries';
export { type RedisOptions, startRedis } from './redis';
export { SteppedClock } from './stepped-clock';
