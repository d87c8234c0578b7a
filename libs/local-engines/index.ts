export { onPath } from './debian-package';
export type { Engine, EngineOptions } from './engine';
export { freePort, isPortFree } from './port';
export { type PostgresOptions, startPostgres } from './postgres';
export { birthOf } from './process-table';
export { Program, type ProgramOptions } from './program';
export { redisBinary } from './redis-binaries';
export { type RedisOptions, startRedis } from './redis';
export { SteppedClock } from './stepped-clock';
