import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { apiDocument } from '../../src/api-document';
import { GENERATED, generateClient } from './generate';

it('The generated part of the client is what the API document of this source says (else: npm run client)', async () => {
  const generated = await generateClient();
  expect(generated).toContain('"/v1/activities/{id}/grabs"');
  expect(readFileSync(GENERATED, 'utf8') === generated).toBe(true);
});

interface Operation {
  readonly operationId?: string;
  readonly responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

const operationsOf = ({ paths, webhooks = {} }: OpenAPIObject): Operation[] =>
  [...Object.values(paths), ...Object.values(webhooks)].flatMap((item) => Object.values(item) as Operation[]);

/** A verb and its object, as generators make methods of them. Nest's own ids are `Grab_grab`. */
const NAME = /^[a-z]+([A-Z][a-z]+)+$/;

describe('the names that generated clients have', () => {
  let document: OpenAPIObject;

  beforeAll(async () => {
    document = await apiDocument(0);
  });

  it('are a verb and its object for every operation, each one once', () => {
    const names = operationsOf(document).map(({ operationId }) => operationId);
    expect(names.filter((name) => !NAME.test(name ?? ''))).toEqual([]);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['createActivity', 'approveRequest', 'grabPacket']));
  });

  it('are there for every JSON answer to a success', () => {
    const nameless = operationsOf(document).flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status, { content }]) => status.startsWith('2') && content?.['application/json'])
        .filter(([, { content }]) => !('$ref' in content!['application/json']!.schema))
        .map(([status]) => `${operationId} ${status}`),
    );
    expect(nameless).toEqual([]);
  });

  it('are the same in the variant for OpenAPI 3.0', async () => {
    const older = await apiDocument(0, '3.0.3');
    const namesOf = (one: OpenAPIObject) => [
      ...Object.values(one.paths).flatMap((item) =>
        (Object.values(item) as Operation[]).map(({ operationId }) => operationId),
      ),
      ...Object.keys(one.components!.schemas!),
    ];
    expect(namesOf(older)).toEqual(namesOf(document));
  });
});
