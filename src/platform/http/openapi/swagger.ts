import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { TICKET } from '../auth/tickets';
import { describeHeaders } from './describe-headers';
import { describeProblems } from './describe-problems';
import { describeRoles } from './describe-roles';
import { withCurrentExamples } from './example-instant';
import { PROBE_MARK } from './marks';
import { operationsOf } from './operations';
import { plainSchemas } from './plain-schemas';
import { problemsPage } from './problems-page';
import { ProblemDto } from './problem.dto';
import { keyMayBeLeftOut, sendFreshKey } from './try-it-out';

export interface ApiTag {
  readonly name: string;
  readonly description: string;
}

/** The general part of the API document. The routes describe the rest. */
export interface ApiDescription {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  /** Every tag of the controllers, in the order of the work. */
  readonly tags: readonly ApiTag[];
  /** Schemas that no class can express. */
  readonly schemas?: NonNullable<OpenAPIObject['components']>['schemas'];
  /** Messages that we send to others, by name. */
  readonly webhooks?: OpenAPIObject['webhooks'];
  /** Makes the AsyncAPI document from the finished OpenAPI document. */
  readonly asyncApi?: (document: OpenAPIObject) => object;
}

/** 3.0 is for generators: it has plain schemas, and no webhooks. */
type OpenApiVersion = '3.1.0' | '3.0.3';

const INIT_SCRIPT = /\/swagger-ui-init\.js$/;

/**
 * Serves Swagger UI, the API documents, and the page that the `type` of every problem points to.
 * Call it after the routes are known to Nest and before `init`.
 */
export function setupSwagger(app: NestFastifyApplication, api: ApiDescription): void {
  let document: OpenAPIObject | undefined;
  const described = () => (document ??= describe(app, api));
  SwaggerModule.setup('docs', app, described, {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: api.title,
    swaggerOptions: {
      persistAuthorization: true,
      displayRequestDuration: true,
      tagsSorter: 'none',
      requestInterceptor: sendFreshKey,
    },
    patchDocumentOnRequest: (request, _reply, document) => {
      const current = withCurrentExamples(document);
      return INIT_SCRIPT.test((request as FastifyRequest).url) ? keyMayBeLeftOut(current) : current;
    },
  });
  const server = app.getHttpAdapter();
  server.get('/docs/errors', (_request, reply) => {
    void reply.type('text/html').send(problemsPage());
  });
  let older: OpenAPIObject | undefined;
  server.get('/openapi-3.0.json', (_request, reply) => {
    void reply.send(withCurrentExamples((older ??= describe(app, api, '3.0.3'))));
  });
  let frames: object | undefined;
  server.get('/asyncapi.json', (_request, reply) => {
    void reply.send((frames ??= api.asyncApi?.(described())));
  });
}

/** Examples are of one moment. */
export function createDocument(
  app: NestFastifyApplication,
  api: ApiDescription,
  nowMs: number,
  openApi: OpenApiVersion = '3.1.0',
): OpenAPIObject {
  return withCurrentExamples(describe(app, api, openApi), nowMs);
}

function describe(
  app: NestFastifyApplication,
  api: ApiDescription,
  openApi: OpenApiVersion = '3.1.0',
): OpenAPIObject {
  const general = describeApi(api, openApi);
  const document = SwaggerModule.createDocument(app, general, { extraModels: [ProblemDto] });
  describeProblems(document);
  describeHeaders(document);
  describeRoles(document);
  if (openApi === '3.0.3') plainSchemas(document);
  for (const { operation } of operationsOf(document)) delete operation[PROBE_MARK];
  return document;
}

function describeApi(api: ApiDescription, openApi: OpenApiVersion) {
  const { title, description, version, tags, schemas = {}, webhooks } = api;
  const builder = new DocumentBuilder()
    .setOpenAPIVersion(openApi)
    .setTitle(title)
    .setDescription(description)
    .setVersion(version)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    .addApiKey(
      { type: 'apiKey', in: 'query', name: TICKET, description: 'For clients that cannot send headers.' },
      TICKET,
    );
  for (const tag of tags) builder.addTag(tag.name, tag.description);
  const { components, ...document } = builder.build();
  const messages = openApi === '3.1.0' ? { webhooks } : {};
  return { ...document, ...messages, components: { ...components, schemas } };
}
