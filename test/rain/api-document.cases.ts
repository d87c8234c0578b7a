import { readFileSync } from 'node:fs';
import { isStaff, type Role } from '../../libs/roles';
import { apiDocument } from '../../src/api-document';
import { COUNTS_AS } from '../../src/extensions/gateway/frame';
import { hasOptionalToken, type Operation, readApi, type Schema } from '../harness/api-operations';
import { rain } from '../harness/shared-installation';

const bounds = readFileSync('docs/bounds.md', 'utf8');

/** The operations and frames that a text of the page on bounds names. */
const boundedIn = (text: string): string[] =>
  [...text.matchAll(/`([A-Z]+) (\/\S+)`|frame `(\w+)`/g)].map(([, method, path, op]) =>
    op ? `frame ${op}` : `${method} ${path}`,
  );

describe('the API document', () => {
  let operations: Operation[];
  let schemas: Readonly<Record<string, Schema>>;

  beforeAll(async () => {
    ({ operations, schemas } = await readApi(rain.url));
  });

  const nameOf = ({ method, path }: Operation) => `${method} ${path}`;
  const ofUsers = () => operations.filter(({ 'x-roles': roles }) => roles?.includes('user'));

  it('says how much each heavy request of a user counts, and the page on bounds says the same', () => {
    const heavy = ofUsers().filter((operation) => operation['x-counts-as']);
    const weights = heavy.map((operation) => [nameOf(operation), operation['x-counts-as']]);
    const frames = Object.entries(COUNTS_AS).flatMap(([op, weight]) =>
      weight > 1 ? [[`frame ${op}`, weight]] : [],
    );
    const rows = [...bounds.matchAll(/^\| (.*?)\s*\| (\d+) /gm)];
    const described = rows.map(([, request, weight]) => [boundedIn(request!)[0], Number(weight)]);
    expect(described.sort()).toEqual([...weights, ...frames].sort());
    const pages = ofUsers().filter(({ parameters = [] }) => parameters.some(({ name }) => name === 'limit'));
    expect(pages.filter((page) => !heavy.includes(page)).map(nameOf)).toEqual([]);
  });

  it('has only operations, and the gateway only frames, that the page on bounds covers exactly once', () => {
    const sections = Object.fromEntries(
      bounds.split(/^## /m).map((text) => [text.split('\n')[0], boundedIn(text)]),
    );
    const isTrusted = (role: string) => isStaff(role as Role) || role === 'channel';
    const forTrusted = ({ 'x-roles': roles }: Operation) => roles?.every(isTrusted);
    const namesOf = (isOne: (operation: Operation) => unknown) => operations.filter(isOne).map(nameOf);
    const of = (...titles: string[]) => titles.flatMap((title) => sections[title]!).sort();
    expect(of('For staff and channels alone')).toEqual(namesOf(forTrusted).sort());
    expect(of('Open to everyone')).toEqual(namesOf(({ 'x-roles': roles }) => !roles).sort());
    const forUsers = namesOf((operation) => operation['x-roles'] && !forTrusted(operation));
    const frames = Object.keys(COUNTS_AS).map((op) => `frame ${op}`);
    expect(of('Heavy requests', 'Light requests')).toEqual([...forUsers, ...frames].sort());
  });

  it('says how much every operation takes from the limit of a user', async () => {
    const taken = await Promise.all(
      ofUsers().map(async (operation, i) => {
        const { method, path } = operation;
        const answer = await fetch(rain.url + path.replaceAll(/\{\w+\}/g, '999999'), {
          method,
          headers: { authorization: `Bearer ${rain.tokenOf(`counted-${i}`)}` },
        });
        await answer.body?.cancel();
        return [nameOf(operation), 1_000 - Number(answer.headers.get('ratelimit-remaining'))];
      }),
    );
    expect(taken).toEqual(ofUsers().map((one) => [nameOf(one), one['x-counts-as'] ?? 1]));
    expect(new Set(taken.map(([, weight]) => weight)).size).toBeGreaterThan(3);
  });

  it('is the same when it is generated without a server, as it is for the client', async () => {
    const undated = (document: string) =>
      JSON.parse(document.replace(/"\d{4}-\d\d-\d\dT\d\d:00:00(\.000Z)?"/g, '"an instant"'));
    const source = await (await fetch(`${rain.url}/openapi.json`)).text();
    expect(undated(JSON.stringify(await apiDocument(0)))).toEqual(undated(source));
  });

  it('names the roles of every operation that needs a token, both in words and for tools', () => {
    for (const operation of operations) {
      const [name, roles] = [nameOf(operation), operation['x-roles']];
      expect([name, roles !== undefined]).toEqual([name, operation.security.length > 0]);
      const words = roles ? `Roles: ${roles.map((role) => `\`${role}\``).join(', ')}.` : 'Open to everyone';
      expect([name, operation.description]).toEqual([name, expect.stringContaining(words)]);
      const isOptional = hasOptionalToken(operation);
      expect([name, operation.description!.includes('A token may be left out.')]).toEqual([name, isOptional]);
    }
  });

  it('prefills no filter, so that a list shows all its items', () => {
    const filters = operations.flatMap((operation) =>
      (operation.parameters ?? [])
        .filter(({ in: place, required }) => place === 'query' && !required)
        .map((one) => ({ operation: nameOf(operation), ...one })),
    );
    expect(filters.length).toBeGreaterThan(20);
    expect(filters.filter(({ example, schema }) => (example ?? schema.example) !== undefined)).toEqual([]);
  });

  it('has examples of fields that play a whole rain when they are sent unchanged', async () => {
    const bodyOf = (schema: string) =>
      Object.fromEntries(
        Object.entries(schemas[schema]!.properties!).map(([name, { example }]) => [name, example]),
      );
    let id = '';
    const send = (path: string, body?: object, caller = rain.operator()) =>
      caller.post(path.replace('{ownerId}', 'u1').replace('{id}', id), body);
    expect((await send('/v1/wallets/{ownerId}/deposits', bodyOf('DepositBody'))).status).toBe(201);
    const created = await send('/v1/activities', bodyOf('CreateActivityBody'));
    expect(created.status).toBe(201);
    ({ id } = created.body);
    expect((await send('/v1/activities/{id}/grabs', undefined, rain.user('u1'))).body.code).toBe('0');
    expect((await send('/v1/activities/{id}/close')).status).toBe(200);
  });
});
