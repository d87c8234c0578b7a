import type { ConsoleLogger, LogLevel } from '@nestjs/common';
import type { AppConfig } from '../config';
import { BoundedLogger } from './bounded-logger';

/** Nest's names for our levels, least important first. */
const LEVELS: [AppConfig['LOG_LEVEL'], LogLevel[]][] = [
  ['debug', ['verbose', 'debug']],
  ['info', ['log']],
  ['warn', ['warn']],
  ['error', ['error']],
  ['fatal', ['fatal']],
];

export function createLogger(config: AppConfig): ConsoleLogger {
  return new BoundedLogger({
    json: config.NODE_ENV === 'production',
    logLevels: levelsFrom(config.LOG_LEVEL),
  });
}

function levelsFrom(lowest: AppConfig['LOG_LEVEL']): LogLevel[] {
  const from = LEVELS.findIndex(([level]) => level === lowest);
  return LEVELS.slice(from).flatMap(([, names]) => names);
}
