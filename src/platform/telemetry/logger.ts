import { ConsoleLogger, type ConsoleLoggerOptions, type LogLevel } from '@nestjs/common';
import { traceparent } from '../../../libs/tracing';
import type { AppConfig } from '../config';
import { version } from '../version';
import { BoundedLogger } from './bounded-logger';

/** Nest's names for our levels, least important first. */
const LEVELS: [AppConfig['LOG_LEVEL'], LogLevel[]][] = [
  ['debug', ['verbose', 'debug']],
  ['info', ['log']],
  ['warn', ['warn']],
  ['error', ['error']],
  ['fatal', ['fatal']],
];

/** Parts of Nest that log all modules and routes at every start. */
const FRAMEWORK = ['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication'];

/** In production a line is an object, with the fields by which log stores search. */
class ProgramLogger extends BoundedLogger {
  constructor(
    options: ConsoleLoggerOptions,
    private readonly service: string,
  ) {
    super(options);
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (FRAMEWORK.includes(String(rest.at(-1)))) this.debug(message, ...rest);
    else super.log(message, ...rest);
  }

  protected override stringifyJsonLogObject({ level, ...line }: Record<string, unknown>): string {
    const traceId = traceparent()?.split('-')[1];
    return super.stringifyJsonLogObject({
      level: levelOf(level as LogLevel),
      service: this.service,
      version,
      ...line,
      traceId,
    });
  }
}

/** @param service the name that its traces have as well */
export function createLogger(config: AppConfig, service: string): ConsoleLogger {
  const options = {
    json: config.NODE_ENV === 'production',
    flattenParams: true,
    logLevels: levelsFrom(config.LOG_LEVEL),
  };
  return new ProgramLogger(options, service);
}

function levelsFrom(lowest: AppConfig['LOG_LEVEL']): LogLevel[] {
  const from = LEVELS.findIndex(([level]) => level === lowest);
  return LEVELS.slice(from).flatMap(([, names]) => names);
}

function levelOf(name: LogLevel): AppConfig['LOG_LEVEL'] {
  return LEVELS.find(([, names]) => names.includes(name))![0];
}
