import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { apiDocument } from '../../src/api-document';
import { EVENTS } from '../../src/extensions/notification';
import { MESSAGE_TYPES } from '../../src/extensions/webhook/webhook';
import { generateClient } from './generate';

describe('the generated part of the client', () => {
  let generated: Record<string, string>;

  beforeAll(async () => {
    generated = await generateClient();
  });

  it('is what the API document of this source says (else: npm run client)', () => {
    expect(Object.keys(generated)).toHaveLength(2);
    for (const [file, text] of Object.entries(generated))
      expect(readFileSync(file, 'utf8') === text).toBe(true);
  });

  it('has a documented method and a route for every operation', async () => {
    const [, methods] = Object.values(generated);
    const { paths } = await apiDocument(0);
    delete paths['/v1/gateway'];
    for (const [path, item] of Object.entries(paths))
      for (const [method, { operationId, summary }] of Object.entries(item as Record<string, Operation>)) {
        const before = methods!.slice(0, methods!.indexOf(`\n   */\n  ${operationId}(`));
        const docs = before.slice(before.lastIndexOf('/**'));
        expect([operationId, docs]).toEqual([operationId, expect.stringContaining(`* ${summary}\n`)]);
        expect(methods).toContain(`  ${operationId}: ${JSON.stringify([method, path]).slice(0, -1)}`);
      }
  });

  it('has every message that webhooks receive, the test included, and every frame of the gateway', () => {
    const [types] = Object.values(generated);
    for (const type of MESSAGE_TYPES) expect(types).toContain(`type: "${type}";`);
    for (const frame of ['grab', 'watch', 'ping']) expect(types).toContain(`op: "${frame}";`);
    for (const event of [...EVENTS, 'resync']) expect(types).toContain(`event: "${event}";`);
  });
});

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly responses: Record<string, { $ref?: string; content?: Record<string, { schema: object }> }>;
}

const operationsOf = ({ paths, webhooks = {} }: OpenAPIObject): Operation[] =>
  [...Object.values(paths), ...Object.values(webhooks)].flatMap((item) => Object.values(item) as Operation[]);

/** A verb and its object, as generators make methods of them. Nest's own ids are `Grab_grab`. */
const NAME = /^[a-z]+([A-Z][a-z]+)+$/;

/** Classes of operations whose 202 is the request that waits for a second person. */
const MERGED = [
  'ActivityOrApprovalDto',
  'TopUpOrApprovalDto',
  'VoidedClaimOrApprovalDto',
  'DepositOrApprovalDto',
];

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
    expect(namesOf(older)).toEqual([...namesOf(document), ...MERGED]);
  });
});

type Schema = {
  readonly type?: string;
  readonly format?: string;
  readonly maximum?: number;
  readonly oneOf?: readonly { $ref: string }[];
  readonly discriminator?: { propertyName: string };
  readonly properties?: Readonly<Record<string, Schema>>;
};

/** Returns all objects within a value, among which are all schemas of a document. */
function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

const schemasOf = ({ components }: OpenAPIObject) => components!.schemas as Record<string, Schema>;

describe('the schemas that generators make classes of', () => {
  let document: OpenAPIObject;
  let plain: OpenAPIObject;

  beforeAll(async () => {
    [document, plain] = [await apiDocument(0), await apiDocument(0, '3.0.3')];
  });

  it('say by which field the alternatives of a union are told apart, and have other fields in common', () => {
    const schemas = schemasOf(document);
    const unions = objectsIn(schemas).filter(({ oneOf = [] }: Schema) => oneOf.length > 1) as Schema[];
    expect(unions.length).toBeGreaterThan(2);
    for (const { oneOf, discriminator } of unions) {
      const fields: Record<string, Schema> = {};
      for (const { $ref } of oneOf!)
        for (const [name, field] of Object.entries(schemas[$ref.split('/').at(-1)!]!.properties!)) {
          const { description: _, ...schema } = field as Schema & { description?: string };
          if (name !== discriminator!.propertyName) expect((fields[name] ??= schema)).toEqual(schema);
        }
    }
  });

  it('give 64 bits to whole numbers that do not fit into 32', () => {
    const large = objectsIn(document).filter(({ maximum = 0 }: Schema) => maximum > 2 ** 31 - 1) as Schema[];
    expect(large.length).toBeGreaterThan(0);
    expect(large.filter(({ format }) => format !== 'int64')).toEqual([]);
  });

  it('are one class for a union in the variant for OpenAPI 3.0, and its kinds have names', () => {
    const { GrabDto, SplitBody } = schemasOf(plain);
    expect(GrabDto).toMatchObject({
      type: 'object',
      required: ['code'],
      properties: {
        code: {
          enum: ['0', '1', '2', '-1'],
          'x-enum-varnames': ['Won', 'Repeated', 'Reserved', 'Refused'],
        },
        redPacketId: { type: 'string' },
        reason: { type: 'string' },
      },
    });
    expect(SplitBody!.properties).toMatchObject({
      kind: { enum: ['random', 'equal', 'tiers'], 'x-enum-varnames': ['Random', 'Equal', 'Tiers'] },
      tiers: { type: 'array' },
    });
    expect(objectsIn(schemasOf(plain)).filter((schema) => 'oneOf' in schema)).toEqual([]);
  });

  it('are one class for all successes of an operation in the variant for OpenAPI 3.0', () => {
    const successes = operationsOf(plain).map(({ operationId, responses }) => {
      const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      const schemas = answers.flatMap(([, { content }]) => content?.['application/json']?.schema ?? []);
      return [operationId, new Set(schemas.map((schema) => JSON.stringify(schema))).size] as const;
    });
    expect(successes.filter(([, classes]) => classes > 1)).toEqual([]);
    const { DepositOrApprovalDto, DepositDto, ApprovalDto } = schemasOf(plain);
    expect(DepositOrApprovalDto).toMatchObject({ type: 'object', required: ['currency'] });
    expect(Object.keys(DepositOrApprovalDto!.properties!).sort()).toEqual(
      [...new Set([DepositDto, ApprovalDto].flatMap((schema) => Object.keys(schema!.properties!)))].sort(),
    );
  });

  it('give a field of several successes of an operation one type', () => {
    const schemas = schemasOf(plain);
    const typeOf = (name: string, field: string) => {
      const { type, allOf } = (schemas[name]!.properties![field] ?? {}) as {
        type?: string;
        allOf?: object[];
      };
      return type ?? (allOf && JSON.stringify(allOf));
    };
    for (const merged of MERGED) {
      const other = merged.replace('OrApproval', '');
      for (const field of Object.keys(schemas[merged]!.properties!)) {
        const types = [typeOf(other, field), typeOf('ApprovalDto', field)].filter(
          (type) => type !== undefined,
        );
        expect([merged, field, new Set(types).size]).toEqual([merged, field, 1]);
      }
    }
  });

  it('are one class for all problems in the variant for OpenAPI 3.0', () => {
    const shared = plain.components!.responses as Operation['responses'];
    const problems = operationsOf(plain)
      .flatMap(({ responses }) => Object.values(responses))
      .flatMap(({ $ref }) => ($ref === undefined ? [] : shared[$ref.split('/').at(-1)!]!))
      .flatMap(({ content }) => content?.['application/problem+json'] ?? []);
    expect(problems.length).toBeGreaterThan(500);
    expect(new Set(problems.map(({ schema }) => JSON.stringify(schema)))).toEqual(
      new Set([JSON.stringify({ $ref: '#/components/schemas/ProblemDto' })]),
    );
  });
});
