import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { UIConfig } from '@bull-board/api/typings/app';
import { getQueueToken } from '@nestjs/bullmq';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Queue } from 'bullmq';
import type { FastifyInstance } from 'fastify';
import { creditJob } from '../core/wallet';
import { extensions } from '../extensions';
import type { AppConfig } from '../platform/config';
import { TokenVerifier } from '../platform/http';
import { BoardAdapter } from './board-adapter';
import { CookieSignIn } from './cookie-sign-in';

const PATH = '/queues';
const SIGN_IN = `${PATH}/session`;

const ENVELOPE = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 20"><rect width="16" height="20" rx="3" fill="#b3161f"/><circle cx="8" cy="7.6" r="3" fill="#ffd970"/></svg>',
)}`;

/** Workers are found by listing all clients of Redis, on every poll. */
const UI: UIConfig = {
  boardTitle: 'Hongbao queues',
  boardLogo: { path: ENVELOPE, width: 16, height: 20 },
  favIcon: { default: ENVELOPE, alternative: ENVELOPE },
  hideDocsLink: true,
  showWorkers: false,
};

/** Serves staff who signed in at the console. Call it before `init`. */
export function serveQueueBoard(app: NestFastifyApplication, config: AppConfig): void {
  if (config.WEB === 'off') return;
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const signIn = new CookieSignIn(app.get(TokenVerifier), config.BASE_PATH + PATH);
  fastify.post(SIGN_IN, (request, reply) => signIn.begin(request, reply));
  const adapter = new BoardAdapter(PATH, config.BASE_PATH, (request) => signIn.require(request));
  const { replaceQueues } = createBullBoard({
    queues: [],
    serverAdapter: adapter,
    options: { uiBasePath: uiDirectory(), uiConfig: UI },
  });
  adapter.serve(fastify, () => replaceQueues(queuesOf(app).map(readOnly)));
}

/** Settlement, and those of extensions. */
function queuesOf(app: NestFastifyApplication): Queue[] {
  const settlement = app.get<Queue>(getQueueToken(creditJob.queue), { strict: false });
  return [settlement, ...extensions.flatMap(({ queues }) => queues?.(app) ?? [])];
}

const readOnly = (queue: Queue): BullMQAdapter =>
  new BullMQAdapter(queue, { readOnlyMode: true, allowRetries: false });

const uiDirectory = (): string => dirname(createRequire(__filename).resolve('@bull-board/ui/package.json'));
