import { type Operation, readApi } from '../harness/api-operations';
import { exactRequest } from '../harness/exact-request';
import { rain } from '../harness/shared-installation';

interface Named {
  readonly name: string;
  readonly types: string[];
  /** Sends a body to this operation, about things that do not exist. */
  readonly send: (body: string, type?: string) => Promise<{ status: number; problem: Partial<Problem> }>;
}

interface Problem {
  readonly code: string;
  readonly detail: string;
}

/** Types that clients name even without a body, and a text that is not a type. */
const CLIENT_TYPES = [
  'application/x-www-form-urlencoded',
  'text/plain;charset=UTF-8',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'application/json; charset',
  'json',
];

const FORM = CLIENT_TYPES[0];

const namesOf = (operations: Named[]) => operations.map(({ name }) => name);

async function failing(operations: Named[], holds: (one: Named) => Promise<boolean>): Promise<string[]> {
  const broken: Named[] = [];
  for (const one of operations) if (!(await holds(one))) broken.push(one);
  return namesOf(broken);
}

describe('the body of a request', () => {
  let operations: Named[];

  beforeAll(async () => {
    const { operations: all } = await readApi(rain.url);
    operations = all.filter(({ method }) => method !== 'GET').map(named);
  });

  function named({ method, path, 'x-roles': roles = [], requestBody }: Operation): Named {
    const role = roles.find((one) => one !== 'server')!;
    const token = rain.tokenOf('empty-handed', role, role === 'channel' ? '999999' : undefined);
    const url = rain.url + path.replace(/\{\w+\}/g, '999999');
    return {
      name: `${method} ${path}`,
      types: Object.keys(requestBody?.content ?? {}),
      send: async (body, type) => {
        const headers = { authorization: `Bearer ${token}`, ...(type && { 'content-type': type }) };
        const response = await fetch(url, { method, headers, body: type === undefined ? undefined : body });
        const text = await response.text();
        return { status: response.status, problem: text === '' ? {} : (JSON.parse(text) as Problem) };
      },
    };
  }

  it('may have any type if it is empty and its route takes no body: each of these routes answers as without a type', async () => {
    const without = operations.filter(({ types }) => types.length === 0);
    expect(namesOf(without)).toContain('POST /v1/activities/{id}/grabs');
    const broken = await failing(without, async ({ send }) => {
      const plain = await send('');
      const answers = [];
      for (const type of CLIENT_TYPES) answers.push(await send('', type));
      return answers.every(
        ({ status, problem }) => status === plain.status && problem.code === plain.problem.code,
      );
    });
    expect(broken).toEqual([]);
  });

  it('may be empty, chunked and of any type, for a tap', async () => {
    const authorization = `Bearer ${rain.tokenOf('chunked')}`;
    for (const type of [undefined, ...CLIENT_TYPES]) {
      const headers = {
        authorization,
        'transfer-encoding': 'chunked',
        ...(type && { 'content-type': type }),
      };
      const { body } = await exactRequest(rain.url, '/v1/activities/999999/grabs', {
        method: 'POST',
        headers,
      });
      expect([type, body.code]).toEqual([type, 'activity.not_found']);
    }
  });

  it('is refused by a route that takes no body, which says so', async () => {
    const without = operations.filter(({ types }) => types.length === 0);
    const broken = await failing(without, async ({ send }) => {
      const { status, problem } = await send('a=b', FORM);
      return status === 415 && problem.detail === 'This request takes no body: leave it out.';
    });
    expect(broken).toEqual([]);
  });

  it.each(['', 'a=b'])(
    'is refused by a route that takes other types, which names them: "%s"',
    async (body) => {
      const taking = operations.filter(({ types }) => types.length > 0);
      expect(taking.some(({ types }) => types.includes('text/csv'))).toBe(true);
      const broken = await failing(taking, async ({ send, types }) => {
        const { status, problem } = await send(body, FORM);
        return status === 415 && problem.detail === `Send the body as ${types.join(' or ')}.`;
      });
      expect(broken).toEqual([]);
    },
  );

  it('is never JSON for a route that reads files, whatever it contains', async () => {
    const [files] = operations.filter(({ types }) => types.includes('text/csv'));
    for (const body of ['{}', 'payoutId,userId', 'x'.repeat(20_000)])
      expect(await files!.send(body, 'application/json')).toMatchObject({
        status: 415,
        problem: { detail: 'Send the body as text/csv or application/x-ndjson.' },
      });
  });
});
