import { Controller, Get, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
  type OpenAPIObject,
} from '@nestjs/swagger';
import { defineProblem } from '../../libs/problem';
import {
  AcceptsTicket,
  Allow,
  ApiPage,
  ApiProblems,
  exampleInstant,
  Idempotent,
  IdParam,
  PageQuery,
  Public,
} from '../../src/platform/http';
import { createContext, runInContext } from 'node:vm';
import { app, shareEdge } from './edge-app';

const packetSplit = defineProblem({ code: 'packet.split', status: 409, title: 'Packet split' });

type ResponseObject = {
  content?: Record<string, { schema?: unknown; examples?: unknown }>;
  headers?: Record<string, unknown>;
};

class PacketDto {
  @ApiProperty({ example: '7.10' })
  readonly amount!: string;

  @ApiProperty({ format: 'date-time', example: exampleInstant(2), nullable: true, type: String })
  readonly openedAt!: string | null;
}

@ApiTags('packets')
@Controller('v1/packets')
class PacketController {
  @Get()
  @Public()
  @ApiOperation({ summary: 'All packets' })
  @ApiPage(PacketDto, 'Newest first.')
  list(_page: PageQuery) {
    return { items: [], nextCursor: null };
  }

  @Get(':id')
  @Allow('play')
  @AcceptsTicket()
  @ApiOperation({ summary: 'One packet' })
  @ApiOkResponse({ type: PacketDto, description: 'The packet.' })
  read(@IdParam() _id: string) {
    return { amount: '7.10', openedAt: null };
  }

  @Post(':id/split')
  @Allow('administer')
  @ApiOperation({ summary: 'Split a packet' })
  @ApiCreatedResponse({ type: PacketDto, description: 'Half of it.' })
  @ApiProblems(packetSplit)
  split(@IdParam() _id: string, @Idempotent() _request: unknown) {
    return { amount: '3.55', openedAt: null };
  }
}

describe('the API document', () => {
  let document: OpenAPIObject;

  shareEdge({}, { controllers: [PacketController], swagger: true });

  beforeAll(async () => {
    document = (await app.inject('/openapi.json')).json();
  });

  const operation = (path: string, method: 'get' | 'post') => document.paths[path]![method]!;
  const answers = (path: string, method: 'get' | 'post') =>
    Object.fromEntries(
      Object.entries(
        operation(path, method).responses as Record<string, ResponseObject & { $ref?: string }>,
      ).map(([status, answer]) => [status, answer.$ref ? shared(answer.$ref) : answer]),
    );
  const shared = ($ref: string) => document.components!.responses![$ref.split('/').at(-1)!] as ResponseObject;
  const examples = (answer?: ResponseObject) =>
    answer?.content?.['application/problem+json']?.examples as Record<string, { value: unknown }>;
  const codes = (answer?: ResponseObject) => Object.keys(examples(answer));

  it('lists the problems that a route declares, and the problems that follow from its shape', () => {
    const split = answers('/v1/packets/{id}/split', 'post');
    expect(Object.keys(split).join(' ')).toBe('201 400 401 403 408 409 413 415 422 429 431 500 503');
    expect(codes(split[400]).sort()).toEqual([
      'idempotency.key_invalid',
      'idempotency.key_missing',
      'request.invalid',
      'request.malformed',
      'request.unknown_field',
    ]);
    expect(codes(split[409])).toEqual(['idempotency.in_flight', 'packet.split']);
    expect(examples(split[409])['packet.split']!.value).toMatchObject({
      type: '/docs/errors#packet.split',
      status: 409,
      code: 'packet.split',
    });
    expect(Object.keys(answers('/v1/packets', 'get')).join(' ')).toBe('200 400 408 429 431 500 503');
  });

  it('lists all codes, and the codes of each status of an operation', () => {
    const { ProblemCode } = document.components!.schemas as Record<string, { enum: string[] }>;
    expect(ProblemCode!.enum).toEqual(expect.arrayContaining(['packet.split', 'request.invalid']));
    expect(
      answers('/v1/packets/{id}/split', 'post')[409]!.content!['application/problem+json']!.schema,
    ).toEqual({
      allOf: [
        { $ref: '#/components/schemas/ProblemDto' },
        {
          type: 'object',
          required: ['code'],
          properties: { code: { type: 'string', enum: ['idempotency.in_flight', 'packet.split'] } },
        },
      ],
    });
  });

  it('names the headers of every answer', () => {
    const limit = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
    const split = answers('/v1/packets/{id}/split', 'post');
    const headersOf = (status: number) => Object.keys(split[status]!.headers ?? {});
    expect(headersOf(201)).toEqual(['X-Request-Id', ...limit, 'Idempotency-Replayed']);
    expect(headersOf(400)).toEqual(['X-Request-Id', ...limit]);
    expect(headersOf(401)).toEqual(['X-Request-Id', ...limit, 'WWW-Authenticate']);
    for (const status of [409, 429, 503])
      expect(headersOf(status)).toEqual(['X-Request-Id', ...limit, 'Retry-After']);
  });

  it('dates its examples from the moment it is read', async () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2040-05-06T07:08:09Z'));
    const { schemas } = (await app.inject('/openapi.json')).json().components;
    clock.mockRestore();
    expect(schemas.PacketDto.properties.openedAt).toMatchObject({
      type: ['string', 'null'],
      example: '2040-05-06T09:00:00.000Z',
    });
  });

  it('does not contain the marks that its generator needs', () => {
    expect(JSON.stringify(document)).not.toMatch(/x-problem-|x-probe|now\+/);
  });

  it('asks for a token exactly where it is needed, and names what may replace it', () => {
    expect(operation('/v1/packets/{id}/split', 'post').security).toEqual([{ bearer: [] }]);
    expect(operation('/v1/packets/{id}', 'get').security).toHaveLength(2);
    expect(operation('/v1/packets/{id}', 'get').security).toEqual(
      expect.arrayContaining([{ bearer: [] }, { ticket: [] }]),
    );
    expect(operation('/v1/packets', 'get').security).toEqual([]);
  });

  it('documents path parameters and the Idempotency-Key', () => {
    expect(operation('/v1/packets/{id}/split', 'post').parameters).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'id', in: 'path', required: true }),
        expect.objectContaining({ name: 'Idempotency-Key', in: 'header', required: true }),
      ]),
    );
    expect(operation('/v1/packets/{id}/split', 'post').parameters).toHaveLength(2);
  });
});

interface SwaggerOptions {
  readonly persistAuthorization: boolean;
  readonly requestInterceptor: (request: { method: string; headers: Record<string, string> }) => {
    headers: Record<string, string>;
  };
  readonly spec: OpenAPIObject;
}

/** Runs the script of the page as a browser would, and returns what it hands to Swagger UI. */
async function swaggerOptions(app: NestFastifyApplication): Promise<SwaggerOptions> {
  const script = (await app.inject('/docs/swagger-ui-init.js')).body;
  const window: { location: object; onload?: () => void } = {
    location: { search: '', origin: 'http://here' },
  };
  let options: unknown;
  const SwaggerUIBundle = Object.assign((given: unknown) => (options = given), {
    presets: { apis: {} },
    plugins: { DownloadUrl: {} },
  });
  const browser = createContext({ window, SwaggerUIBundle, SwaggerUIStandalonePreset: {}, crypto, URL });
  runInContext(script, browser);
  window.onload!();
  return options as SwaggerOptions;
}

describe('the documentation pages', () => {
  shareEdge({}, { controllers: [PacketController], swagger: true });

  it('show Swagger UI under a content security policy that lets it run', async () => {
    const page = await app.inject('/docs');
    expect(page.statusCode).toBe(200);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('upgrade-insecure-requests');
    expect(page.body).not.toMatch(/<script>(?!\s*<\/script>)/);
    for (const [, source] of page.body.matchAll(/(?:src|href)="(\.\/docs\/[^"]+)"/g)) {
      expect((await app.inject(source!.slice(1))).statusCode).toBe(200);
    }
  });

  it('keep the token across a reload', async () => {
    expect((await swaggerOptions(app)).persistAuthorization).toBe(true);
  });

  it('send a new Idempotency-Key with each Execute, unless the user has typed a key', async () => {
    const { requestInterceptor, spec } = await swaggerOptions(app);
    const keyOf = (headers: Record<string, string>, method = 'POST') =>
      requestInterceptor({ method, headers }).headers['Idempotency-Key'];
    const keys = [keyOf({}), keyOf({}), keyOf({ Accept: 'application/json' })];
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(keyOf({ 'Idempotency-Key': 'my-own-key' })).toBe('my-own-key');
    expect(keyOf({}, 'GET')).toBeUndefined();
    const [, field] = spec.paths['/v1/packets/{id}/split']!.post!.parameters as object[];
    expect(field).toMatchObject({ name: 'Idempotency-Key', required: false });
    expect(JSON.stringify(field)).not.toContain('example');
  });

  it('explain every problem at the place that its type points to', async () => {
    const page = await app.inject('/docs/errors');
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.body).toContain('<tr id="packet.split">');
  });

  it('are linked from a front page in both languages, even if no rain can be looked up', async () => {
    const { statusCode, headers, body } = await app.inject({
      url: '/',
      headers: { 'accept-language': 'zh' },
    });
    expect([statusCode, headers['content-security-policy']]).toEqual([
      200,
      expect.stringMatching(/^default-src 'none'; style-src 'sha256-[^;]+; base-uri 'none'/),
    ]);
    const links = Array.from(body.matchAll(/<a href="(.*?)"><b>(.*?)<\/b>/g), ([, link, name]) => [
      link,
      name,
    ]);
    expect(links).toEqual([
      ['/console', '<span lang="en">Console</span><span lang="zh-CN">控制台</span>'],
      ['/docs', expect.stringContaining('Swagger UI')],
      ['/docs/errors', '<span lang="en">Problem codes</span><span lang="zh-CN">错误代码</span>'],
    ]);
    expect(body).toContain('<html lang="zh-CN">');
    expect(body).not.toMatch(/<script|<link|<img| style=| on\w+=/);
  });

  it('answer with a problem at an unknown path', async () => {
    expect((await app.inject('/docs/nothing.js')).json().code).toBe('route.not_found');
  });
});
