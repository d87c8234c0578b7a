import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { describeProblems } from './describe-problems';
import { problemsPage } from './problems-page';
import { ProblemDto } from './problem.dto';

export interface ApiTag {
  readonly name: string;
  readonly description: string;
}

/** What the API document says about itself; the routes say the rest. */
export interface ApiDescription {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  /** Every tag that the controllers use. */
  readonly tags: readonly ApiTag[];
}

/**
 * Swagger UI at `/docs`, the OpenAPI document at `/openapi.json`, and at `/docs/errors` the page that the `type` of
 * every problem points to. Call it after the routes are known to Nest and before `init`.
 */
export function setupSwagger(app: NestFastifyApplication, api: ApiDescription): void {
  SwaggerModule.setup('docs', app, () => createDocument(app, api), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: api.title,
    swaggerOptions: { persistAuthorization: true, displayRequestDuration: true, tagsSorter: 'none' },
  });
  app.getHttpAdapter().get('/docs/errors', (_request, reply) => {
    void reply.type('text/html').send(problemsPage());
  });
}

/** The OpenAPI document of an application. */
export function createDocument(app: NestFastifyApplication, api: ApiDescription): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, describeApi(api), {
    extraModels: [ProblemDto],
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  return describeProblems(document);
}

function describeApi({ title, description, version, tags }: ApiDescription) {
  const builder = new DocumentBuilder()
    .setTitle(title)
    .setDescription(description)
    .setVersion(version)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' });
  for (const tag of tags) builder.addTag(tag.name, tag.description);
  return builder.build();
}
