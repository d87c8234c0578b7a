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
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { defineProblem } from '../../libs/problem';
import { Allow, ApiPage, ApiProblems, Idempotent, IdParam, PageQuery, Public } from '../../src/platform/http';
import { startEdge } from './edge-app';

const packetSplit = defineProblem({ code: 'packet.split', status: 409, title: 'Packet split' });

type ResponseObject = { content?: Record<string, { examples?: unknown }> };

class PacketDto {
  @ApiProperty({ example: '7.10' })
  readonly amount!: string;
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
  @Allow('user')
  @ApiOperation({ summary: 'One packet' })
  @ApiOkResponse({ type: PacketDto, description: 'The packet.' })
  read(@IdParam() _id: string) {
    return { amount: '7.10' };
  }

  @Post(':id/split')
  @Allow('operator')
  @ApiOperation({ summary: 'Split a packet' })
  @ApiCreatedResponse({ type: PacketDto, description: 'Half of it.' })
  @ApiProblems(packetSplit)
  split(@IdParam() _id: string, @Idempotent() _request: unknown) {
    return { amount: '3.55' };
  }
}

describe('the API document', () => {
  let app: NestFastifyApplication;
  let document: OpenAPIObject;

  beforeAll(async () => {
    app = await startEdge({}, { controllers: [PacketController], swagger: true });
    document = (await app.inject('/openapi.json')).json();
  });
  afterAll(() => app.close());

  const operation = (path: string, method: 'get' | 'post') => document.paths[path]![method]!;
  const answers = (path: string, method: 'get' | 'post') =>
    operation(path, method).responses as Record<string, ResponseObject>;
  const examples = (answer?: ResponseObject) =>
    answer?.content?.['application/problem+json']?.examples as Record<string, { value: unknown }>;
  const codes = (answer?: ResponseObject) => Object.keys(examples(answer));

  it('shows the problems that a route declares, and those that follow from its shape', () => {
    const split = answers('/v1/packets/{id}/split', 'post');
    expect(Object.keys(split)).toEqual(['201', '400', '401', '403', '409', '422', '429', '500', '503']);
    expect(codes(split[400]).sort()).toEqual([
      'idempotency.key_invalid',
      'idempotency.key_missing',
      'request.invalid',
      'request.unknown_field',
    ]);
    expect(codes(split[409])).toEqual(['idempotency.in_flight', 'packet.split']);
    expect(examples(split[409])['packet.split']!.value).toMatchObject({
      type: '/docs/errors#packet.split',
      status: 409,
      code: 'packet.split',
    });
    expect(Object.keys(answers('/v1/packets', 'get'))).toEqual(['200', '429', '500', '503']);
  });

  it('keeps none of the marks that its making needs', () => {
    expect(JSON.stringify(document)).not.toContain('x-problem-');
  });

  it('asks for a token exactly where one is needed', () => {
    expect(operation('/v1/packets/{id}', 'get').security).toEqual([{ bearer: [] }]);
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

  it('passes a linter', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    );
  });
});

describe('the documentation pages', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    app = await startEdge({}, { controllers: [PacketController], swagger: true });
  });
  afterAll(() => app.close());

  it('show Swagger UI under a policy that lets it run', async () => {
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
    expect((await app.inject('/docs/swagger-ui-init.js')).body).toContain('"persistAuthorization": true');
  });

  it('explain every problem at the place its type points to', async () => {
    const page = await app.inject('/docs/errors');
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.body).toContain('<tr id="packet.split">');
  });

  it('answer with a problem where nothing exists', async () => {
    expect((await app.inject('/docs/nothing.js')).json().code).toBe('route.not_found');
  });
});
