import 'reflect-metadata';
import cluster from 'node:cluster';
import { type DynamicModule, type INestApplicationContext, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { readEnvironment } from '../libs/environment';
import { serveFrontPage } from './front-page';
import { type AppConfig, loadConfig, lookAlikes } from './platform/config';
import {
  ACCEPT_QUEUE_LENGTH,
  AdminPages,
  allowOrigins,
  type ApiDescription,
  RequestChecks,
  configureHttp,
  createFastifyAdapter,
  exitOnSignal,
  FastLane,
  type Lane,
  setupSwagger,
  takeOutBasePath,
} from './platform/http';
import { ProcessGroup, sayServing } from './platform/processes';
import { createLogger, mayLoseLines, Metrics, startTracing } from './platform/telemetry';
import { serveQueueBoard } from './queue-board/serve';
import { serveWeb } from './web-pages';

export interface Program {
  readonly name: string;
  readonly module: (config: AppConfig) => DynamicModule;
  readonly port: (config: AppConfig) => number;
  /** Processes that share that port on this host. */
  readonly processes: (config: AppConfig) => number;
  readonly file: string;
  /** Present in the program that serves the public. */
  readonly api?: ApiDescription;
  /** The route that crowds use. */
  readonly lane?: (app: INestApplicationContext) => Lane;
}

/**
 * At SIGUSR1, Node would open a debugger to every account on the host. SIGUSR2, which service managers send to the
 * whole group, would end processes that have nothing to replace.
 */
const IGNORED_SIGNALS = ['SIGUSR1', 'SIGUSR2'] as const;

/**
 * Starts one of the two programs, in one process or several. A fault that prevents the start is reported in a
 * line or two, with exit code 1.
 */
export async function boot(program: Program): Promise<void> {
  [process.stdout, process.stderr].forEach(mayLoseLines);
  IGNORED_SIGNALS.forEach((signal) => process.on(signal, () => undefined));
  try {
    const env = readEnvironment();
    const config = loadConfig(env);
    if (cluster.isPrimary)
      lookAlikes(env).forEach((line) => createLogger(config, serviceOf(program)).warn(line));
    if (program.processes(config) > 1 && cluster.isPrimary) await lead(program, config);
    else await serve(program, config);
  } catch (error) {
    console.error(`${program.name} cannot start. ${messageOf(error)}`);
    process.exit(1);
  }
}

/** Starts the other processes, which report their own faults. This one is the first of several. */
async function lead(program: Program, config: AppConfig): Promise<void> {
  Logger.overrideLogger(createLogger(config, serviceOf(program)));
  const { file, processes } = program;
  const group = new ProcessGroup(file, processes(config), config.SHUTDOWN_TIMEOUT_MS);
  if (!(await group.start())) process.exit(1);
}

async function serve(program: Program, config: AppConfig): Promise<void> {
  const app = await createApp(program, config);
  app.get(Metrics).watchProcess();
  await startTracing(app, config, serviceOf(program));
  const adminPages = program.api && new AdminPages(app, config);
  exitOnSignal(app, config.SHUTDOWN_TIMEOUT_MS);
  await app.init();
  await adminPages?.listen();
  await app.listen({ port: program.port(config), host: config.HOST, backlog: ACCEPT_QUEUE_LENGTH });
  if (cluster.isWorker) sayServing();
  const logger = new Logger(program.name);
  logger.log(`listening on ${await app.getUrl()}`);
  if (adminPages)
    logger.log(`Console, Swagger UI, API document and metrics are served ${adminPages.whereabouts}`);
}

async function createApp(program: Program, config: AppConfig): Promise<NestFastifyApplication> {
  const adapter = createFastifyAdapter(config);
  const app = await NestFactory.create<NestFastifyApplication>(program.module(config), adapter, {
    logger: createLogger(config, serviceOf(program)),
    abortOnError: false,
  });
  configureHttp(app, app.get(RequestChecks));
  if (program.lane && FastLane.suits(config))
    new FastLane(app, program.lane(app), config, adapter.securityHeaders()).openOn(app);
  if (program.api) {
    allowOrigins(app, config);
    setupSwagger(app, { ...program.api, server: config.BASE_PATH || '/' });
    serveFrontPage(app, config);
    serveWeb(app, config);
    serveQueueBoard(app, config);
  }
  takeOutBasePath(app.getHttpServer(), config.BASE_PATH);
  return app;
}

/** The name in logs and traces, and of the jobs of Prometheus. */
const serviceOf = ({ name }: Program): string => `hongbao-${name.toLowerCase()}`;

/** Errors of connections carry a code and often no message. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
