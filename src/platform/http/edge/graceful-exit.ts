import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { within } from '../../../../libs/deadline';
import { OpenConnections } from '../../postgres';
import { Readiness } from './readiness';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** A closing server drops idle connections once; we drop those that become idle later. */
const LOOK_EVERY_MS = 20;

/**
 * Shares of the time. A query on a half-open connection would fail only after all of it, so after the
 * first share, connections to Postgres that have not answered for the second are given up.
 */
const PATIENT_SHARE = 1 / 2;
const ANSWER_SHARE = 1 / 4;

const logger = new Logger('Exit');

/**
 * Exits with 0 if all work was finished within `timeoutMs`, otherwise with 1. The same signal a second time
 * ends the process at once.
 */
export function exitOnSignal(app: NestFastifyApplication, timeoutMs: number): void {
  let exit: Promise<void> | undefined;
  const leave = () => {
    exit ??= drain(app, timeoutMs).then((drained) => process.exit(drained ? 0 : 1));
  };
  for (const signal of SIGNALS) process.once(signal, leave);
}

/**
 * Turns readiness off, accepts no new connections, and lets requests in progress finish. Only then do Nest's
 * shutdown hooks run, because they destroy modules that requests still use.
 * @returns whether everything was done in time
 */
export async function drain(app: NestFastifyApplication, timeoutMs: number): Promise<boolean> {
  const startedAtMs = performance.now();
  app.get(Readiness, { strict: false }).leave();
  logger.log(`draining, for at most ${timeoutMs} ms`);
  const closed = close(app, timeoutMs).then(
    () => {
      logger.log(`drained in ${Math.round(performance.now() - startedAtMs)} ms`);
      return true;
    },
    (error: unknown) => report('Shutdown failed.', error),
  );
  return within(timeoutMs, closed).catch(() =>
    report(`Shutdown took longer than ${timeoutMs} ms; work was cut off.`),
  );
}

async function close(app: NestFastifyApplication, timeoutMs: number): Promise<void> {
  const startedAtMs = performance.now();
  const server = app.getHttpServer();
  const toPostgres = app.get(OpenConnections, { strict: false });
  const givingUp = setInterval(() => {
    server.closeIdleConnections();
    if (performance.now() - startedAtMs >= timeoutMs * PATIENT_SHARE)
      toPostgres.giveUpSilent(timeoutMs * ANSWER_SHARE);
  }, LOOK_EVERY_MS);
  try {
    await app.getHttpAdapter().getInstance().close();
    await app.close();
  } finally {
    clearInterval(givingUp);
  }
}

function report(line: string, error?: unknown): false {
  logger.error(line, error instanceof Error ? error.stack : undefined);
  return false;
}
