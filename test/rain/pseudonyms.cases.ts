import { randomUUID } from 'node:crypto';
import { PERSON_ID_PATTERN, USER_ID_PATTERN } from '../../libs/user-id';
import { type Operation, readApi, type Schema } from '../harness/api-operations';
import { rain } from '../harness/shared-installation';

type Schemas = Readonly<Record<string, Schema>>;

/** A place of a request where a person is named. */
interface Place {
  readonly operation: Operation;
  readonly in: string;
  /** From the root of the body, with `[]` for an item of a list. */
  readonly field: string;
  readonly pattern?: string;
}

const PSEUDONYM = `erased-${'0a'.repeat(16)}`;
const NAMES_A_PERSON = /^((user|sponsor|owner|actor|person|winner)Ids?(\[\])?)$/;

/** Staff who only read can ask about someone who was forgotten. */
const isRead = ({ operation: { method }, in: where }: Place): boolean =>
  method === 'GET' && where !== 'header';

/** These answer that the person is forgotten already. */
const ANSWERED = ['POST /v1/users/{id}/erasures'];

const nameOf = ({ operation: { method, path }, in: where, field }: Place): string =>
  `${method} ${path} ${where} ${field}`;

describe('someone who was forgotten', () => {
  let places: Place[];
  let operations: Operation[];

  beforeAll(async () => {
    const api = await readApi(rain.url);
    operations = api.operations;
    places = operations.flatMap((operation) => [
      ...(operation.parameters ?? [])
        .map(({ name, in: where, schema: { pattern } }) => ({ operation, in: where, field: name, pattern }))
        .filter(({ field, pattern }) => isOfPeople(field, pattern))
        .filter(({ in: where }) => where !== 'header' || operation['x-roles']?.includes('server')),
      ...fieldsOf(api.schemas, bodyOf(operation)?.schema)
        .filter(({ field, pattern }) => isOfPeople(field.split('.').at(-1)!, pattern))
        .map((one) => ({ ...one, operation, in: 'body' })),
    ]);
  });

  /** Sends a request that names the pseudonym in this place, with the rest as in the example. */
  async function sent(place: Place): Promise<{ status: number; fields: string[]; code?: string }> {
    const { operation, in: where, field } = place;
    const { method, path, 'x-roles': roles = [] } = operation;
    const example = Object.values(bodyOf(operation)?.examples ?? {})[0]?.value ?? {};
    const asked = where === 'header' ? 'server' : 'operator';
    const role = roles.includes(asked) ? asked : roles[0]!;
    const token = rain.tokenOf('reader', role, role === 'channel' ? '999999' : undefined);
    const filled = (name: string) => {
      if (where === 'path' && name === field) return PSEUDONYM;
      return { day: '2031-02-03', code: 'CNY' }[name] ?? '999999';
    };
    const url = new URL(rain.url + path.replace(/\{(\w+)\}/g, (_, name: string) => filled(name)));
    if (where === 'query') url.searchParams.set(field, PSEUDONYM);
    const body = where === 'body' ? withField(example, field.split('.')) : example;
    const takesBody = where === 'body' || Object.keys(example).length > 0;
    const response = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'idempotency-key': randomUUID(),
        ...(where === 'header' && { [field]: PSEUDONYM }),
        ...(takesBody && { 'content-type': 'application/json' }),
      },
      body: takesBody ? JSON.stringify(body) : undefined,
    });
    const text = response.headers.get('content-type')?.includes('json') ? await response.text() : '{}';
    if (text === '{}') await response.body?.cancel();
    const { errors = [], code } = JSON.parse(text === '' ? '{}' : text);
    return { status: response.status, fields: errors.map((one: { field: string }) => one.field), code };
  }

  it('is named only in places whose format the document describes', () => {
    const unsaid = places.filter(({ pattern }) => ![USER_ID_PATTERN, PERSON_ID_PATTERN].includes(pattern!));
    expect(unsaid.map(nameOf)).toEqual([]);
    expect(places.map(nameOf)).toEqual(
      expect.arrayContaining([
        'POST /v1/activities body sponsorId',
        'POST /v1/activities body audience.userIds[]',
        'POST /v1/wallets/{ownerId}/deposits path ownerId',
        'GET /v1/payouts query userId',
        'POST /v1/activities/{id}/grabs header Act-For',
      ]),
    );
  });

  it('can be read about in each place, and can neither act nor be given anything in any', async () => {
    const wrong: string[] = [];
    for (const place of places) {
      const { status, fields, code } = await sent(place);
      const isRefused =
        status === 400 && fields.some((field) => field.split(/[.[]/)[0] === place.field.split(/[.[]/)[0]);
      const isRight = ANSWERED.includes(`${place.operation.method} ${place.operation.path}`)
        ? code === 'erasure.pseudonym' || (place.in === 'header' && isRefused)
        : isRefused === !isRead(place);
      if (!isRight) wrong.push(`${nameOf(place)}: ${status} ${code} ${fields.join()}`);
    }
    expect(wrong).toEqual([]);
  });

  it('has no valid token at any operation', async () => {
    const wrong: string[] = [];
    for (const { method, path, 'x-roles': roles = [] } of operations)
      for (const role of roles) {
        const token = rain.tokenOf(PSEUDONYM, role, role === 'channel' ? '999999' : undefined);
        const url = rain.url + path.replace(/\{\w+\}/g, '999999');
        const response = await fetch(url, { method, headers: { authorization: `Bearer ${token}` } });
        await response.body?.cancel();
        if (response.status !== 401) wrong.push(`${role} ${method} ${path}: ${response.status}`);
      }
    expect(wrong).toEqual([]);
  });
});

const bodyOf = ({ requestBody }: Operation) => Object.values(requestBody?.content ?? {})[0];

const isOfPeople = (name: string, pattern?: string): boolean =>
  NAMES_A_PERSON.test(name) || pattern === USER_ID_PATTERN || pattern === PERSON_ID_PATTERN;

/** All fields of a body, down to the items of lists. */
function fieldsOf(
  schemas: Schemas,
  schema: Schema | undefined,
  field = '',
): { field: string; pattern?: string }[] {
  if (!schema) return [];
  if (schema.$ref !== undefined) return fieldsOf(schemas, schemas[schema.$ref.split('/').at(-1)!], field);
  const parts = [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
    fieldsOf(schemas, one, field === '' ? name : `${field}.${name}`),
  );
  const items = schema.items ? fieldsOf(schemas, schema.items, `${field}[]`) : [];
  const isLeaf = own.length + items.length + parts.length === 0;
  return [
    ...own,
    ...items,
    ...parts.flatMap((part) => fieldsOf(schemas, part, field)),
    ...(isLeaf && field !== '' ? [{ field, pattern: schema.pattern }] : []),
  ];
}

/** The example with the pseudonym in this field. */
function withField(value: unknown, [first, ...rest]: string[]): unknown {
  if (first === undefined) return PSEUDONYM;
  const name = first.replace('[]', '');
  const object = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const inner = withField(object[name], rest);
  const kind = name === 'audience' ? { kind: 'people' } : {};
  const filled = first.endsWith('[]')
    ? [inner]
    : typeof inner === 'object'
      ? { ...(inner as object), ...kind }
      : inner;
  return { ...object, [name]: filled };
}
