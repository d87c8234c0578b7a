import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { TICKET } from '../auth/tickets';
import { clearPlaces } from './api-place';
import { ServedText } from './served-text';
import { describeHeaders } from './describe-headers';
import { describeProblems } from './describe-problems';
import { describeRoles } from './describe-roles';
import { withCurrentExamples } from './example-instant';
import { clearFieldPlaces } from './field-places';
import { forClicks } from './for-clicks';
import { PROBE_MARK } from '../problems/marks';
import { operationsOf } from './operations';
import { plainSchemas } from './plain-schemas';
import { STATIC_PAGE_HEADERS } from '../problems/static-page';
import { problemsPage } from './problems-page';
import { ProblemDto } from './problem.dto';
import { shareProblems } from './share-problems';
import { initScript, serveSwaggerPage } from './swagger-page';
import { inWorkOrder, sortSchemas } from './work-order';

export interface ApiTag {
  readonly name: string;
  readonly description: string;
  /** The ids of its operations, in the order of the work. */
  readonly operations?: readonly string[];
}

/** The general part of the API document. The routes describe the rest. */
export interface ApiDescription {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  /** The path of the API at its host; `/` unless given. */
  readonly server?: string;
  /** Every tag of the controllers, in the order of the work. */
  readonly tags: readonly ApiTag[];
  /** Schemas that no class can express. */
  readonly schemas?: NonNullable<OpenAPIObject['components']>['schemas'];
  /** Messages that we send to others, by name. */
  readonly webhooks?: () => OpenAPIObject['webhooks'];
  /** Adds what no decorator can know, before problems, headers and roles are described. */
  readonly describe?: (document: OpenAPIObject) => void;
  /** Makes the AsyncAPI document from the finished OpenAPI document. */
  readonly asyncApi?: (document: OpenAPIObject) => object;
}

/** 3.0 is for generators: it has plain schemas, and no webhooks. */
type OpenApiVersion = '3.1.0' | '3.0.3';

/**
 * Serves Swagger UI, the API documents, and the page that the `type` of every problem points to.
 * Call it after the routes are known to Nest and before `init`.
 */
export function setupSwagger(app: NestFastifyApplication, api: ApiDescription): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const document = once(() => describe(app, api));
  const documents = {
    '/openapi.json': () => JSON.stringify(document()),
    '/openapi-3.0.json': () => JSON.stringify(describe(app, api, '3.0.3')),
    '/asyncapi.json': () => JSON.stringify(api.asyncApi?.(document()) ?? null),
  };
  for (const [route, make] of Object.entries(documents)) {
    const text = hourly(make, (content) => new ServedText(content, { 'content-type': JSON_TYPE }));
    fastify.get(route, (request, reply) => text().answer(request, reply));
  }
  serveSwaggerPage(
    fastify,
    api.title,
    hourly(() => JSON.stringify(forClicks(document())), initScript),
  );
  const problems = once(() => new ServedText(problemsPage(), STATIC_PAGE_HEADERS));
  fastify.get('/docs/errors', (request, reply) => problems().answer(request, reply));
}

const JSON_TYPE = 'application/json; charset=utf-8';
const HOUR_MS = 3_600_000;

/** The times in the examples of a document are close to when it is read. */
function hourly(make: () => string, serve: (text: string) => ServedText): () => ServedText {
  const undated = once(make);
  let latest: { readonly hour: number; readonly text: ServedText } | undefined;
  return () => {
    const nowMs = Date.now();
    const hour = Math.floor(nowMs / HOUR_MS);
    if (latest?.hour !== hour) latest = { hour, text: serve(withCurrentExamples(undated(), nowMs)) };
    return latest.text;
  };
}

/** The document is built only when it is first read, because that takes a second. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Examples are dated from one moment. */
export function createDocument(
  app: NestFastifyApplication,
  api: ApiDescription,
  nowMs: number,
  openApi: OpenApiVersion = '3.1.0',
): OpenAPIObject {
  const text = JSON.stringify(describe(app, api, openApi));
  return JSON.parse(withCurrentExamples(text, nowMs)) as OpenAPIObject;
}

function describe(
  app: NestFastifyApplication,
  api: ApiDescription,
  openApi: OpenApiVersion = '3.1.0',
): OpenAPIObject {
  const general = describeApi(api, openApi);
  const document = SwaggerModule.createDocument(app, general, { extraModels: [ProblemDto] });
  api.describe?.(document);
  clearFieldPlaces(document);
  sortSchemas(document);
  describeProblems(document);
  describeHeaders(document);
  describeRoles(document);
  if (openApi === '3.0.3') plainSchemas(document);
  inWorkOrder(
    document,
    api.tags.flatMap(({ operations = [] }) => operations),
  );
  shareProblems(document);
  for (const { operation } of operationsOf(document)) {
    delete operation[PROBE_MARK];
    clearPlaces(operation);
  }
  return document;
}

function describeApi(api: ApiDescription, openApi: OpenApiVersion) {
  const { title, description, version, server = '/', tags, schemas = {}, webhooks } = api;
  const builder = new DocumentBuilder()
    .setOpenAPIVersion(openApi)
    .setTitle(title)
    .setDescription(description)
    .setVersion(version)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(server)
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    .addApiKey(
      { type: 'apiKey', in: 'query', name: TICKET, description: 'For clients that cannot send headers.' },
      TICKET,
    );
  for (const tag of tags) builder.addTag(tag.name, tag.description);
  const { components, ...document } = builder.build();
  const messages = openApi === '3.1.0' ? { webhooks: webhooks?.() } : {};
  return { ...document, ...messages, components: { ...components, schemas } };
}
