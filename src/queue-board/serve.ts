import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
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
    options: {
      uiBasePath: uiDirectory(),
      uiConfig: { boardTitle: 'Hongbao queues', miscLinks: [toConsole(config)] },
    },
  });
  adapter.serve(fastify, () => replaceQueues(queuesOf(app).map(readOnly)));
}

/** Settlement, and those of extensions. */
function queuesOf(app: NestFastifyApplication): Queue[] {
  const settlement = app.get<Queue>(getQueueToken(creditJob.queue), { strict: false });
  return [settlement, ...extensions.flatMap(({ queues }) => queues?.(app) ?? [])];
}

const toConsole = ({ BASE_PATH }: AppConfig) => ({ text: 'Console', url: `${BASE_PATH}/console` });

const readOnly = (queue: Queue): BullMQAdapter =>
  new BullMQAdapter(queue, { readOnlyMode: true, allowRetries: false });

const uiDirectory = (): string => dirname(createRequire(__filename).resolve('@bull-board/ui/package.json'));
