import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DistributedProgram } from '../../src/dev/engines';
import { signToken } from '../../src/platform/http';
import { call } from '../harness/client';
import { barePython } from '../harness/distributed';
import { runProgram } from '../harness/command-line';
import { JWT_SECRET } from '../harness/installation';
import { rain, shareInstallation } from '../harness/shared-installation';
import { waitFor } from '../harness/engines';

const ORIGIN = 'https://checker.example';
const PER_SECOND = 1_000;

shareInstallation({
  TRUSTED_PROXIES: '1',
  CORS_ORIGINS: ORIGIN,
  RATE_LIMIT_ADDRESS_PER_SECOND: String(PER_SECOND),
});

let addresses = 0;
/** An address from which nothing was requested before. */
const newAddress = (): string => `10.0.${(addresses += 1) >> 8}.${addresses & 255}`;

interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function ask(
  path: string,
  { method = 'GET', ...headers }: Record<string, string> = {},
): Promise<Asked> {
  const response = await fetch(rain.url + path, {
    method,
    headers: { 'x-forwarded-for': newAddress(), ...headers },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const fairnessOf = (id: string): string => `/v1/activities/${id}/fairness`;

describe('the public files of an activity', () => {
  const page = readFileSync(join('docs', 'fairness.md'), 'utf8');
  const [header, ...rows] = Array.from(
    page.slice(page.indexOf('## What a stranger sees')).matchAll(/^\| (.+) \|$/gm),
    ([, cells]) => cells!.split('|').map((cell) => cell.trim()),
  ).filter(([cell]) => !cell!.startsWith('-'));

  /** Their ids occur nowhere else. */
  const [SPONSOR, WINNER] = ['sponsor-of-secrets', 'winner-of-secrets'];

  const atMoment: Record<string, (id: string) => Promise<unknown>> = {
    'before it opens': () => Promise.resolve(),
    'while it is open': (id) => rain.win(id, WINNER),
    'after its end': async (id) => {
      await rain.win(id, WINNER);
      await rain.closeActivity(id);
    },
    'after it was cancelled': (id) => rain.operator().post(`/v1/activities/${id}/cancel`),
  };

  it('show a stranger at each moment what the page on fairness says, and never who gave or won', async () => {
    expect(header).toEqual(['moment', 'terms', 'commitment and root', 'seed, so all amounts', 'people']);
    expect(rows.map(([moment]) => moment)).toEqual(Object.keys(atMoment));
    for (const [moment, terms, committed, seed, people] of rows) {
      const opensInMs = /before|cancelled/.test(moment!) ? 60_000 : 0;
      const id = await rain.createActivity({ sponsorId: SPONSOR, opensInMs, packetCount: 3 });
      await atMoment[moment!]!(id);
      const { status, text } = await ask(fairnessOf(id));
      expect([moment, status]).toEqual([moment, 200]);
      const [batch, ...others] = (JSON.parse(text) as { batches: Record<string, unknown>[] }).batches;
      expect(others).toEqual([]);
      expect(Object.keys(batch!).sort()).toEqual(['batch', 'commit', 'firstNo', 'root', 'seed', 'terms']);
      expect([moment, terms, committed, seed, people]).toEqual([
        moment,
        (batch!.terms as { count: string }).count === '3' ? 'yes' : 'no',
        [batch!.commit, batch!.root].every((hash) => /^[0-9a-f]{64}$/.test(String(hash))) ? 'yes' : 'no',
        batch!.seed === null ? 'no' : 'yes',
        [SPONSOR, WINNER].some((name) => text.includes(name)) ? 'yes' : 'never',
      ]);
    }
  });

  it('link the activities of a sponsor, even across a hidden one, whose commitment no stranger can find', async () => {
    const chain: { commit: string; terms: { previous: string } }[] = [];
    const sponsorId = 'sponsor-of-three';
    for (const kind of ['public', 'link', 'public'] as const) {
      const id = await rain.createActivity({ sponsorId, audience: { kind } });
      const { status } = await ask(fairnessOf(id));
      expect([kind, status]).toEqual([kind, kind === 'public' ? 200 : 404]);
      chain.push((await rain.operator().get(fairnessOf(id))).body.batches[0]);
    }
    const [first, hidden, last] = chain;
    expect(last!.terms.previous).toBe(hidden!.commit);
    expect(hidden!.terms.previous).toBe(first!.commit);
    expect(page).toContain('**That something is hidden.**');
  });

  it('are the same with a token and without one, page by page', async () => {
    const sponsorId = 'public-giver';
    const id = await rain.createActivity({ sponsorId, packetCount: 2 });
    for (const amount of ['1.00', '2.00']) {
      await rain.deposit(sponsorId, amount);
      const added = await rain
        .user(sponsorId)
        .post(`/v1/activities/${id}/top-ups`, { amount, packetCount: 2 });
      expect(added.status).toBe(201);
    }
    let query = '?limit=2';
    for (const count of [2, 1]) {
      const { text } = await ask(fairnessOf(id) + query);
      expect(JSON.parse(text).batches).toHaveLength(count);
      expect(text).toBe((await rain.user('anyone').get(fairnessOf(id) + query)).text);
      query = `?limit=2&cursor=${JSON.parse(text).nextCursor}`;
    }
  });

  it('need the share code if the audience is a link, and a token for any other audience but the public', async () => {
    const sponsorId = 'hidden-giver';
    const hide = (audience: object) => rain.createActivity({ sponsorId, audience });
    const nothing = async (headers: Record<string, string>) =>
      (await ask(fairnessOf('999999999'), { 'x-request-id': 'one', ...headers })).text;
    const statusOf = async (id: string, headers: Record<string, string>) => {
      const { status, text } = await ask(fairnessOf(id), { 'x-request-id': 'one', ...headers });
      if (status === 404) expect(text.replaceAll(id, '999999999')).toBe(await nothing(headers));
      return status;
    };
    const link = await hide({ kind: 'link' });
    const password = await hide({ kind: 'password', password: '恭喜发财' });
    const { shareCode } = (await rain.user(sponsorId).get(`/v1/activities/${link}/audience`)).body;
    expect(await statusOf(link, {})).toBe(404);
    expect(await statusOf(link, { 'share-code': 'yGIPwJ2Y7hCqkXz1Rr8dNw' })).toBe(404);
    expect(await statusOf(link, { 'share-code': shareCode })).toBe(200);
    expect(await statusOf(link, {})).toBe(404);
    expect(await statusOf(password, { 'share-code': shareCode })).toBe(404);
    expect(await statusOf(await hide({ kind: 'people', userIds: ['ann'] }), {})).toBe(404);
    const { body } = await rain.user(sponsorId).post(`/v1/activities/${link}/share-code`);
    expect(await statusOf(link, { 'share-code': shareCode })).toBe(404);
    expect(await statusOf(link, { 'share-code': body.shareCode })).toBe(200);
  });

  it('of a hidden activity are not shown to an address that reads like a user id of its audience', async () => {
    const named = ['10.9.9.9', 'stranger'];
    const id = await rain.createActivity({ audience: { kind: 'people', userIds: named } });
    for (const address of named)
      expect((await ask(fairnessOf(id), { 'x-forwarded-for': address })).status).toBe(404);
  });

  it('are refused to a password without a token, right or wrong, whatever the activity, and users are not affected', async () => {
    const id = await rain.createActivity({ audience: { kind: 'password', password: 'swordfish' } });
    const [all, linked] = [
      await rain.createActivity(),
      await rain.createActivity({ audience: { kind: 'link' } }),
    ];
    expect((await ask(fairnessOf(all))).status).toBe(200);
    const from = { 'x-forwarded-for': newAddress(), 'x-request-id': 'one' };
    const answers = new Set<string>();
    for (const activityId of [id, all, linked, '999999999'])
      for (const password of [
        'swordfish',
        'wrong',
        '',
        '%',
        ...Array.from({ length: 8 }, (_, i) => `wrong-${i}`),
      ]) {
        const { status, text } = await ask(fairnessOf(activityId), { ...from, 'packet-password': password });
        answers.add(`${status} ${text}`);
      }
    expect([...answers]).toEqual([expect.stringMatching(/^401 .*auth\.unauthenticated.*Packet-Password/)]);
    const authorization = `Bearer ${rain.tokenOf('ann')}`;
    const opened = await ask(fairnessOf(id), { ...from, authorization, 'packet-password': 'swordfish' });
    expect(opened.status).toBe(200);
  });

  it('count towards the limit of the address as they do towards that of a user', async () => {
    const id = await rain.createActivity();
    const { headers } = await ask(fairnessOf(id));
    expect(headers.get('ratelimit-limit')).toBe(String(PER_SECOND));
    expect(headers.get('ratelimit-remaining')).toBe(String(PER_SECOND - 10));
  });

  it('are refused to a token that is not valid, with its reason, and to one of another role', async () => {
    const id = await rain.createActivity();
    const expired = signToken({ secret: JWT_SECRET }, { sub: 'ann', role: 'user' }, -1);
    for (const authorization of [`Bearer ${expired}`, 'Bearer a.b.c', 'Bearer', 'Basic YTpi', '']) {
      const { status, text } = await ask(fairnessOf(id), { authorization });
      expect([authorization, status, JSON.parse(text).code]).toEqual([
        authorization,
        401,
        'auth.unauthenticated',
      ]);
    }
    const { status } = await call(rain.url, rain.tokenOf('shop', 'channel'), 'GET', fairnessOf(id));
    expect(status).toBe(403);
  });

  it('are kept by no cache, and can be read only by pages of configured origins', async () => {
    const hidden = await rain.createActivity({ sponsorId: 'cached', audience: { kind: 'link' } });
    const { shareCode } = (await rain.user('cached').get(`/v1/activities/${hidden}/audience`)).body;
    for (const [id, keys] of [
      [await rain.createActivity(), {}],
      [hidden, { 'share-code': shareCode as string }],
    ] as const)
      for (const method of ['GET', 'HEAD']) {
        const { status, headers, text } = await ask(fairnessOf(id), { method, origin: ORIGIN, ...keys });
        expect([status, text === '']).toEqual([200, method === 'HEAD']);
        expect(headers.get('cache-control')).toBe('no-store');
        expect(headers.get('etag')).toBeNull();
        expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
        const other = await ask(fairnessOf(id), { method, origin: 'https://other.example', ...keys });
        expect(other.headers.get('access-control-allow-origin')).toBeNull();
      }
    const answers = [hidden, '999999999'].map(async (id) => {
      const asked = { method: 'OPTIONS', origin: ORIGIN, 'access-control-request-method': 'GET' };
      const { status, headers, text } = await ask(fairnessOf(id), asked);
      return [status, headers.get('access-control-allow-headers')?.includes('Share-Code'), text];
    });
    expect(new Set((await Promise.all(answers)).map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify([204, true, ''])]),
    );
  });

  it('are refused with 400 for input that strangers cannot use', async () => {
    const id = await rain.createActivity();
    expect((await ask(fairnessOf(id), { 'x-user-id': 'ann' })).status).toBe(400);
    expect((await ask(`${fairnessOf(id)}?cursor=no-cursor`)).status).toBe(400);
    expect((await ask(`${fairnessOf(id)}?limit=101`)).status).toBe(400);
    expect((await ask(fairnessOf('abc'))).status).toBe(400);
    expect((await ask(fairnessOf('9'.repeat(30)))).status).toBe(400);
  });
});

describe('"Anyone can check that from public files", as the README says', () => {
  let python: DistributedProgram;

  beforeAll(async () => {
    python = await barePython();
  });

  interface Said {
    readonly isAccepted: boolean;
    readonly said: string;
  }

  /** Both programs, with nothing but these names. */
  function check(...names: string[]): Promise<Said[]> {
    const commands = [
      [process.execPath, join('dist', 'src', 'dev', 'verify-split.js')],
      [python.command, join('examples', 'verify-split.py')],
    ];
    const { PATH, LD_LIBRARY_PATH } = python.env;
    return Promise.all(
      commands.map(async ([command, ...args]) => {
        const env = { PATH, LD_LIBRARY_PATH };
        const { code, stdout, stderr } = await runProgram(command!, [...args, ...names], { env });
        return { isAccepted: code === 0, said: stdout + stderr };
      }),
    );
  }

  const both = (isAccepted: boolean, said: string): Said[] =>
    Array(2).fill({ isAccepted, said: expect.stringContaining(said) });

  it('the sentence is in both READMEs', () => {
    expect(readFileSync('README.md', 'utf8')).toContain('Anyone can check that from public files');
    expect(readFileSync('README.zh-CN.md', 'utf8')).toContain('任何人都能用公开的文件核对');
  });

  it('both programs check a rain by its address alone, before, after and with all its batches', async () => {
    const sponsorId = 'checked-giver';
    const id = await rain.createActivity({ sponsorId, packetCount: 3 });
    const address = `${rain.url}/v1/activities/${id}`;
    expect(await check(address)).toEqual(both(true, 'not revealed yet; drawn by the server alone'));
    await rain.deposit(sponsorId, '1.01');
    for (let i = 0; i < 101; i++) {
      const more = { amount: '0.01', packetCount: 1 };
      const { status } = await rain.operator().post(`/v1/activities/${id}/top-ups`, more);
      expect(status).toBe(201);
    }
    await rain.closeActivity(id);
    await waitFor(async () => !(await ask(fairnessOf(id))).text.includes('"seed":null'), {
      what: 'the seeds',
    });
    const said = await check(`${address}/fairness`);
    expect(said).toEqual(both(true, `activity ${id} batch 101: all 1 packets are as committed`));
    expect(said[0]!.said).toBe(said[1]!.said);
    expect(said[0]!.said).toContain(`activity ${id} batch 0: all 3 packets are as committed`);
  });

  it('both send the code of a link in a header, from the address of the page or of the API', async () => {
    const id = await rain.createActivity({ sponsorId: 'linked-giver', audience: { kind: 'link' } });
    const { shareCode } = (await rain.user('linked-giver').get(`/v1/activities/${id}/audience`)).body;
    for (const address of [`/v1/activities/${id}#c=`, `/v1/activities/${id}?c=`, `/rain/${id}#c=`]) {
      expect(await check(rain.url + address + shareCode)).toEqual(both(true, 'not revealed yet'));
      expect(await check(`${rain.url + address}yGIPwJ2Y7hCqkXz1Rr8dNw`)).toEqual(
        both(false, 'activity.not_found'),
      );
    }
  });

  it('both refuse an address that is not of an activity, and a server that cannot be reached', async () => {
    expect(await check(`${rain.url}/v1/activities/999999999`)).toEqual(both(false, 'activity.not_found'));
    expect(await check(`${rain.url}/v1/activities`)).toEqual(
      both(false, 'is not the address of an activity'),
    );
    expect(await check('http://127.0.0.1:1/v1/activities/1')).toEqual(both(false, 'REFUSED'));
  });
});
