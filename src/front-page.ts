import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { sharedLook } from '../libs/shared-look';
import { ActivityService } from './core/activity';
import type { AppConfig } from './platform/config';
import { version } from './platform/version';

/** Serves `GET /`, outside production with links to the pages. Call it before `init`. */
export function serveFrontPage(app: NestFastifyApplication, config: AppConfig): void {
  const { NODE_ENV, ADMIN_PORT, WEB, BASE_PATH } = config;
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const linkToRain = sharedLook(() => findRain(app, BASE_PATH));
  fastify.get('/', async ({ socket }, reply) => {
    const isOpen = NODE_ENV !== 'production';
    const isForOperators = isOpen && (ADMIN_PORT === undefined || socket.localPort === ADMIN_PORT);
    const links = [
      isOpen && WEB === 'on' && (await linkToRain()),
      isForOperators && WEB === 'on' && `<a href="${BASE_PATH}/console">Console</a>`,
      isForOperators && `<a href="${BASE_PATH}/docs">API</a>`,
    ];
    return reply.type('text/html; charset=utf-8').send(page(links.filter(Boolean).join(' · ')));
  });
}

async function findRain(app: NestFastifyApplication, basePath: string): Promise<string | undefined> {
  const { items } = await app.get(ActivityService, { strict: false }).list({ phase: 'open', limit: 1 });
  return items[0] && `<a href="${basePath}/rain/${items[0].id}">Rain</a>`;
}

const page = (links: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Hongbao</title>
<h1>Hongbao</h1>
<p>Version ${version}</p>
${links && `<p>${links}</p>`}
</html>
`;
