import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Role, ROLES } from '../../libs/roles';
import { readApi } from '../harness/api-operations';
import type { Caller } from '../harness/client';
import { planOf } from '../harness/installation';
import { rain } from '../harness/shared-installation';

interface Row {
  readonly operation: string;
  readonly cells: Readonly<Record<Role, string>>;
}

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'security.md'), 'utf8');

const columns = cellsOf(/^\| operation .*\|$/m.exec(page)![0])
  .slice(1)
  .map((cell) => cell.replaceAll('`', '') as Role);

const rows: Row[] = Array.from(page.matchAll(/^\| `(?:GET|POST|PUT|PATCH|DELETE) .*\|$/gm), ([line]) => {
  const [operation, ...cells] = cellsOf(line);
  const byRole = Object.fromEntries(columns.map((role, i) => [role, cells[i]!])) as Row['cells'];
  return { operation: operation!.replaceAll('`', ''), cells: byRole };
});

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

let days = 1;

/** A body that the sponsor may send. Each extension ends later than the one before. */
function bodyFor(operation: string): object | undefined {
  if (operation.endsWith('/top-ups')) return { amount: '0.10', packetCount: 1 };
  if (!operation.endsWith('/extend')) return undefined;
  return { closesAt: new Date(Date.now() + (days += 1) * 86_400_000).toISOString() };
}

const own = rows.filter(({ cells }) => cells.user === 'own').map(({ operation }) => operation);

describe('the table of roles', () => {
  let activityId: string;

  beforeAll(async () => {
    activityId = await rain.createActivity({ sponsorId: 'sponsor' });
  });

  /** Sends a request without a key and a body, so that it changes nothing, and reads no answer. */
  async function ask(operation: string, role: Role, headers: Record<string, string> = {}) {
    const [method, template] = operation.split(' ') as [string, string];
    const path = template.replace('{id}', activityId).replace('{ownerId}', 'u1');
    const over = new AbortController();
    const authorization = `Bearer ${rain.tokenOf('somebody', role)}`;
    const request = { method, signal: over.signal, headers: { authorization, ...headers } };
    const { status, headers: answered } = await fetch(rain.url + path, request);
    over.abort();
    return { status, type: answered.get('content-type') };
  }

  const actFor = (role: Role): Record<string, string> => (role === 'server' ? { 'act-for': 'somebody' } : {});

  it('has a column for each role, a row for each operation that needs a token, and the same roles as the API document', async () => {
    const { operations } = await readApi(rain.url);
    const inDocument = operations.flatMap(({ method, path, 'x-roles': roles }) =>
      roles ? [[`${method} ${path}`, roles] as const] : [],
    );
    const onPage = rows.map(({ operation, cells }) => [
      operation,
      ROLES.filter((role) => cells[role] !== ''),
    ]);
    expect(columns).toEqual(ROLES);
    expect(Object.fromEntries(onPage)).toEqual(Object.fromEntries(inDocument));
    expect(onPage).toHaveLength(inDocument.length);
    expect(
      rows.flatMap(({ cells }) => Object.values(cells)).filter((cell) => !/^(|yes|own)$/.test(cell)),
    ).toEqual([]);
  });

  describe.each(rows)('$operation', ({ operation, cells }) => {
    it.each(ROLES)('is refused to %s exactly where the cell is empty', async (role) => {
      const { status, type } = await ask(operation, role, actFor(role));
      if (cells[role] === '') expect([status, type]).toEqual([403, 'application/problem+json']);
      else expect([status, status !== 403 && status < 500]).toEqual([status, true]);
    });

    it('is refused to a server that names no user', async () => {
      expect((await ask(operation, 'server')).status).toBe(cells.server === '' ? 403 : 400);
    });
  });

  it.each(own.filter((operation) => operation.includes('/activities/{id}')))(
    '%s is answered 404 to everyone but the sponsor of the activity and staff',
    async (operation) => {
      const [method, template] = operation.split(' ') as [string, string];
      const path = template.replace('{id}', activityId);
      const ask = (caller: Caller) => {
        if (method === 'PATCH') return caller.patch(path, {});
        return method === 'GET' ? caller.get(path) : caller.post(path, bodyFor(operation));
      };
      const statusFor = async (caller: Caller) => (await ask(caller)).status;
      expect(await statusFor(rain.user('stranger'))).toBe(404);
      expect(await statusFor(rain.server('stranger'))).toBe(404);
      for (const caller of [rain.user('sponsor'), rain.server('sponsor'), rain.as('campaign')])
        expect([200, 201, 409, 422]).toContain(await statusFor(caller));
    },
  );

  it('lets users and their servers create activities with their own money only', async () => {
    const body = planOf({ totalAmount: '1.00', packetCount: 1 });
    for (const caller of [rain.user('u1'), rain.server('u1')])
      expect(await caller.post('/v1/activities', body)).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'sponsorId' }] },
      });
    await rain.as('finance').post('/v1/wallets/sponsor/deposits', { amount: '1.00' });
    expect((await rain.as('campaign').post('/v1/activities', body)).status).toBe(201);
  });
});

describe('a rain that staff have funded', () => {
  it.each(['operator', 'campaign', 'finance', 'support'] as const)(
    'cannot be won by staff: %s neither grabs nor waits',
    async (role) => {
      const activityId = await rain.createActivity({ packetCount: 1 });
      for (const path of ['grabs', 'waitlist'])
        expect(await rain.as(role).post(`/v1/activities/${activityId}/${path}`)).toMatchObject({
          status: 403,
          body: { code: 'auth.forbidden' },
        });
      const person = rain.user(role);
      expect((await person.post(`/v1/activities/${activityId}/grabs`)).body.code).toBe('0');
    },
  );

  it('may be won by its sponsor, who is a user', async () => {
    const activityId = await rain.createActivity({ sponsorId: 'giver', packetCount: 1 });
    await rain.win(activityId, 'giver');
  });
});
