import { createHmac } from 'node:crypto';
import { Body, Controller, Get, HttpCode, type ModuleMetadata, Post, Query } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiProperty } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { Type as Nested } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { must } from '../../libs/problem';
import { serveFrontPage } from '../../src/front-page';
import { ConfigModule, loadConfig } from '../../src/platform/config';
import {
  AdminPages,
  Allow,
  allowOrigins,
  RequestChecks,
  type Caller,
  configureHttp,
  createFastifyAdapter,
  CurrentCaller,
  decodeCursor,
  HttpModule,
  IdParam,
  IsInstant,
  IsList,
  IsMoney,
  isObject,
  IsText,
  PageQuery,
  Probe,
  setupSwagger,
  toPage,
  UserIdParam,
} from '../../src/platform/http';
import { OpenConnections } from '../../src/platform/postgres';

export const SECRET = 'edge-tests-sign-with-this-0123456789';

const ENVIRONMENT = {
  NODE_ENV: 'test',
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  REDIS_URL: 'redis://127.0.0.1:1',
  JWT_SECRET: SECRET,
  RATE_LIMIT_USER_PER_SECOND: '1000000',
  RATE_LIMIT_ADDRESS_PER_SECOND: '1000000',
};

const SAMPLE_API = {
  title: 'Sample',
  description: 'Routes of every kind.',
  version: '1',
  tags: [{ name: 'packets', description: 'Packets.' }],
};

class TierDto {
  @IsMoney()
  readonly amount!: string;
}

export class RainDto {
  @ApiProperty()
  @IsText({ min: 1, max: 40 })
  readonly name!: string;

  @ApiProperty()
  @IsInstant()
  readonly opensAt!: string;

  @ApiProperty({ type: [TierDto] })
  @IsList({ isItem: isObject, fault: must.beA('list', 'must be a list of tiers'), noun: 'tier', maximum: 3 })
  @ValidateNested({ each: true })
  @Nested(() => TierDto)
  readonly tiers!: TierDto[];
}

@Controller('sample')
export class SampleController {
  @Get('public')
  @Probe()
  open() {
    return { open: true };
  }

  @Get('undecorated')
  forgotten() {
    return { open: true };
  }

  @Get('me')
  @Allow('read')
  me(@CurrentCaller() caller: Caller) {
    return caller;
  }

  @Post('things/:id/grabs')
  @Allow('play')
  @HttpCode(200)
  grab(@IdParam() id: string) {
    return { id };
  }

  @Get('wallets/:ownerId')
  @Allow('play')
  wallet(@UserIdParam('ownerId') ownerId: string) {
    return { ownerId };
  }

  @Post('rains')
  @Allow('play')
  create(@Body() rain: RainDto) {
    return rain;
  }

  @Get('pages')
  @Allow('play')
  list(@Query() page: PageQuery) {
    const after = Number(decodeCursor(page.cursor) ?? 251);
    const ids = Array.from({ length: Math.min(after - 1, page.limit + 1) }, (_, i) => String(after - 1 - i));
    return toPage(ids, page.limit, (id) => id);
  }
}

interface EdgeParts extends Pick<ModuleMetadata, 'imports' | 'controllers'> {
  /** Swagger UI and the front page, and the rule about where they are shown. */
  readonly swagger?: boolean;
}

/** The whole edge around sample routes; nothing behind it. */
export async function startEdge(
  env: NodeJS.ProcessEnv = {},
  { imports = [], controllers = [SampleController], swagger = false }: EdgeParts = {},
): Promise<NestFastifyApplication> {
  const config = loadConfig({ ...ENVIRONMENT, ...env });
  const module = await Test.createTestingModule({
    imports: [ConfigModule.forRoot(config), HttpModule, ...imports],
    controllers,
    providers: [OpenConnections],
  }).compile();
  const app = module.createNestApplication<NestFastifyApplication>(createFastifyAdapter(config), {
    logger: false,
  });
  configureHttp(app, app.get(RequestChecks));
  allowOrigins(app, config);
  if (swagger) {
    setupSwagger(app, SAMPLE_API);
    serveFrontPage(app, config);
    new AdminPages(app, config);
  }
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  return app;
}

export let app: NestFastifyApplication;

export function shareEdge(...setting: Parameters<typeof startEdge>): void {
  beforeAll(async () => {
    app = await startEdge(...setting);
  });
  afterAll(() => app.close());
}

export function tokenOf(
  claims: object,
  options: { secret?: string; algorithm?: 'HS256' | 'HS512' } = {},
): string {
  const { secret = SECRET, algorithm = 'HS256' } = options;
  const signed = `${encoded({ alg: algorithm, typ: 'JWT' })}.${encoded({ iat: inFuture(0), ...claims })}`;
  const hmac = createHmac(`sha${algorithm.slice(2)}`, secret);
  return `${signed}.${hmac.update(signed).digest('base64url')}`;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export function inFuture(seconds = 60): number {
  return Math.floor(Date.now() / 1000) + seconds;
}

export function bearer(sub = 'u1', role?: string): { authorization: string } {
  const claims = role === undefined ? { sub, exp: inFuture() } : { sub, role, exp: inFuture() };
  return { authorization: `Bearer ${tokenOf(claims)}` };
}
