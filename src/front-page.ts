import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { sharedLook } from '../libs/shared-look';
import { ActivityService } from './core/activity';
import type { AppConfig } from './platform/config';
import {
  acceptedLanguage,
  inBoth,
  PAGE_LANGUAGES,
  type Said,
  STATIC_PAGE_HEADERS,
  staticPage,
} from './platform/http';
import { version } from './platform/version';

/** A page that the front page leads to. */
interface Door {
  readonly path: string;
  readonly name: Said;
  readonly about: Said;
}

const TITLE: Said = { en: 'Red packet rain', zh: '红包雨' };

const ABOUT: Said = {
  en: 'Hongbao lets red packets fall over a crowd. Everyone taps, each packet goes to one person, and every cent is accounted for.',
  zh: 'Hongbao 让红包从天而降：人人可抢，每个红包只归一人，每一分钱都有账可查。',
};

const PLAYERS: Said = { en: 'To play, open the rain from your app.', zh: '参加红包雨，请从您的应用中打开。' };

const STAFF: Said = { en: 'For organisers and developers', zh: '发起方与开发者' };

const CONSOLE: Door = {
  path: '/console',
  name: { en: 'Console', zh: '控制台' },
  about: {
    en: 'Create rains, watch them live, and manage the money.',
    zh: '创建红包雨，实时查看进度，处理资金。',
  },
};

const API: Door = {
  path: '/docs',
  name: { en: 'Swagger UI', zh: 'Swagger UI' },
  about: { en: 'Read the API, and try each request.', zh: '查阅接口，逐个试用请求。' },
};

const PROBLEMS: Door = {
  path: '/docs/errors',
  name: { en: 'Problem codes', zh: '错误代码' },
  about: { en: 'Every error code that the API returns.', zh: '接口返回的全部错误代码。' },
};

/** Serves `GET /`, outside production with links to the pages. Call it before `init`. */
export function serveFrontPage(app: NestFastifyApplication, config: AppConfig): void {
  const { NODE_ENV, ADMIN_PORT, WEB, BASE_PATH } = config;
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const findNewest = sharedLook(() => findRain(app));
  fastify.get('/', async ({ socket, headers }, reply) => {
    const isOpen = NODE_ENV !== 'production';
    const isForOperators = isOpen && (ADMIN_PORT === undefined || socket.localPort === ADMIN_PORT);
    const rain = isOpen && WEB === 'on' ? await findNewest() : undefined;
    const doors = [isForOperators && WEB === 'on' && CONSOLE, isForOperators && API, isOpen && PROBLEMS];
    const language = acceptedLanguage(headers['accept-language'], PAGE_LANGUAGES);
    const content = contentOf({ rain, doors: doors.filter((door) => door !== false), basePath: BASE_PATH });
    return reply.headers(STATIC_PAGE_HEADERS).send(staticPage({ language, title: TITLE, content }));
  });
}

/** The viewer of the front page, who sponsors nothing. */
const NOBODY = '';

/** The front page is also served when Postgres or Redis is down. */
async function findRain(app: NestFastifyApplication): Promise<Door | undefined> {
  try {
    const activities = app.get(ActivityService, { strict: false });
    const { items } = await activities.list({ phase: 'open', limit: 1 }, NOBODY);
    return items[0] && doorTo(items[0]);
  } catch (error) {
    new Logger('FrontPage').warn(`Shown without a rain: ${String(error)}`);
    return undefined;
  }
}

const doorTo = ({ id, name }: { readonly id: string; readonly name: string }): Door => ({
  path: `/rain/${id}`,
  name: { en: `Play “${name}”`, zh: `参加“${name}”` },
  about: { en: 'Open now', zh: '正在进行' },
});

interface Content {
  readonly rain?: Door;
  readonly doors: readonly Door[];
  readonly basePath: string;
}

/** What a visitor came for leads; the rest is for those who look for it. */
function contentOf({ rain, doors, basePath }: Content): string {
  const items = doors.map((door) => `<li>${linkTo(door, basePath)}</li>`).join('');
  return `<h1>${inBoth(TITLE)}</h1>
<p class="lead">${inBoth(ABOUT)}</p>
${rain ? `<div class="play">${linkTo(rain, basePath)}</div>` : `<p>${inBoth(PLAYERS)}</p>`}
${items && `<h2>${inBoth(STAFF)}</h2>\n<ul class="doors">${items}</ul>`}
<footer>${inBoth({ en: `Version ${version}`, zh: `版本 ${version}` })}</footer>`;
}

const linkTo = ({ path, name, about }: Door, basePath: string): string =>
  `<a href="${basePath}${path}"><b>${inBoth(name)}</b><span>${inBoth(about)}</span></a>`;
