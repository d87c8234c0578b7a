import 'reflect-metadata';
import cluster from 'node:cluster';
import { type DynamicModule, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type AppConfig, loadConfig, readEnvironment } from './platform/config';
import {
  AdminPages,
  allowOrigins,
  type ApiDescription,
  configureHttp,
  createFastifyAdapter,
  exitOnSignal,
  HttpMetrics,
  RateLimits,
  setupSwagger,
  TokenVerifier,
} from './platform/http';
import { ProcessGroup, sayServing } from './platform/processes';
import { createLogger, startTracing } from './platform/telemetry';

export interface Program {
  readonly name: string;
  readonly module: (config: AppConfig) => DynamicModule;
  readonly port: (config: AppConfig) => number;
  /** How many share that port on this host. */
  readonly processes: (config: AppConfig) => number;
  /** Where it lies. */
  readonly file: string;
  /** A program that serves the public; the port of the other one is for operators only. */
  readonly api?: ApiDescription;
}

/** Starts one of the two programs, in one process or several; whatever keeps it from starting is said in a line or two, and the process ends with 1. */
export async function boot(program: Program): Promise<void> {
  try {
    const config = loadConfig(readEnvironment());
    if (program.processes(config) > 1 && cluster.isPrimary) await lead(program, config);
    else await serve(program, config);
  } catch (error) {
    console.error(`${program.name} cannot start. ${messageOf(error)}`);
    process.exit(1);
  }
}

/** Of several processes this is the one that starts the others, which say themselves what keeps them from starting. */
async function lead({ file, processes }: Program, config: AppConfig): Promise<void> {
  Logger.overrideLogger(createLogger(config));
  const group = new ProcessGroup(file, processes(config), config.SHUTDOWN_TIMEOUT_MS);
  if (!(await group.start())) process.exit(1);
}

async function serve(program: Program, config: AppConfig): Promise<void> {
  const app = await createApp(program, config);
  await startTracing(app, config, `hongbao-${program.name.toLowerCase()}`);
  const adminPages = program.api && new AdminPages(app, config);
  exitOnSignal(app, config.SHUTDOWN_TIMEOUT_MS);
  await app.init();
  await adminPages?.listen();
  await app.listen(program.port(config), config.HOST);
  if (cluster.isWorker) sayServing();
  const logger = new Logger(program.name);
  logger.log(`listening on ${await app.getUrl()}`);
  if (adminPages) logger.log(`Swagger UI, API document and metrics are served ${adminPages.whereabouts}`);
}

export async function createApp(program: Program, config: AppConfig): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    program.module(config),
    createFastifyAdapter(config),
    {
      logger: createLogger(config),
      abortOnError: false,
    },
  );
  configureHttp(app, app.get(RateLimits), app.get(TokenVerifier), app.get(HttpMetrics));
  if (program.api) {
    allowOrigins(app, config);
    setupSwagger(app, program.api);
  }
  return app;
}

/** Errors of connections carry a code and often no message. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
