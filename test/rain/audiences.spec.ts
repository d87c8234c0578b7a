import { randomUUID } from 'node:crypto';
import type { Caller } from '../harness/client';
import { waitFor } from '../harness/engines';
import { EventClient } from '../harness/event-client';
import { GatewayClient } from '../harness/gateway-client';
import { planOf } from '../harness/installation';
import type { Program } from '../../src/dev/engines';
import { rain, shareInstallation } from '../harness/shared-installation';
import { ticketFor, createTicketKey } from '../harness/ticket';

shareInstallation({ RATE_LIMIT_USER_PER_SECOND: '1000' });

/** Ids that occur nowhere else, with as many digits as the id of nothing. */
beforeAll(() => rain.sql(`select setval('activity_id_seq', 700000000)`));

const PASSWORD = '恭喜 Ｆａ财 🧧';
const encoded = (password: string): Record<string, string> => ({
  'packet-password': encodeURIComponent(password),
});

const AUDIENCES = {
  link: { kind: 'link' },
  people: { kind: 'people', userIds: ['ann'] },
  password: { kind: 'password', password: PASSWORD },
} as const;

type Kind = keyof typeof AUDIENCES;
const KINDS = Object.keys(AUDIENCES) as Kind[];

let sponsors = 0;

interface Hidden {
  readonly id: string;
  readonly sponsorId: string;
  /** The headers of a user whom it is for. */
  readonly keys: Record<string, string>;
}

const codeOf = async (id: string, sponsorId: string): Promise<string> =>
  (await rain.user(sponsorId).get(`/v1/activities/${id}/audience`)).body.shareCode;

async function hide(kind: Kind, plan: object = {}): Promise<Hidden> {
  const sponsorId = `host-${(sponsors += 1)}`;
  const id = await rain.createActivity({ sponsorId, audience: AUDIENCES[kind], ...plan });
  const keys = {
    link: async (): Promise<Record<string, string>> => ({ 'share-code': await codeOf(id, sponsorId) }),
    people: (): Record<string, string> => ({}),
    password: (): Record<string, string> => encoded(PASSWORD),
  };
  return { id, sponsorId, keys: await keys[kind]() };
}

const ID_OF_NOTHING = '999999999';

describe.each(KINDS)('for outsiders, an activity with the audience "%s"', (kind) => {
  it('is in no list, and exists for its sponsor and staff', async () => {
    const { id, sponsorId } = await hide(kind);
    const listed = async (path: string, caller = rain.user('outsider')) =>
      ((await caller.get(path)).body.items as { id: string }[]).map((one) => one.id);
    for (const query of ['', `?sponsorId=${sponsorId}`, '?phase=open', '?name=Rain'])
      expect(await listed(`/v1/activities${query}`)).not.toContain(id);
    for (const caller of [rain.user(sponsorId), rain.as('support'), rain.operator()]) {
      expect(await listed('/v1/activities', caller)).toContain(id);
      expect((await caller.get(`/v1/activities/${id}`)).body).toMatchObject({ id, audience: { kind } });
    }
    expect((await rain.user(sponsorId).get(`/v1/activities/${id}/template`)).body.audience).toEqual(
      AUDIENCES[kind],
    );
    expect((await rain.user('outsider').get('/v1/overview/activities')).text).not.toContain(id);
    expect(await (await fetch(rain.url)).text()).not.toContain(`/rain/${id}`);
  });

  it('sends no event, neither over the stream nor over the gateway', async () => {
    const { id, keys } = await hide(kind);
    const stream = await EventClient.connect(rain.url, rain.tokenOf('outsider'), { activityId: id });
    const outsider = await GatewayClient.connect(rain.url, rain.tokenOf('outsider'));
    const insider = await GatewayClient.connect(rain.url, rain.tokenOf('ann'));
    const { 'share-code': shareCode, 'packet-password': password } = keys;
    const fields = {
      ...(shareCode && { shareCode }),
      ...(password && { password: decodeURIComponent(password) }),
    };
    const watch = { op: 'watch', activityIds: [id, ID_OF_NOTHING] };
    expect((await insider.ask({ ...watch, ...fields })).body.activityIds).toEqual([id]);
    expect((await outsider.ask(watch)).body.activityIds).toEqual([]);
    expect((await outsider.ask({ op: 'grab', activityId: id })).body).toMatchObject({
      code: 'activity.not_found',
      detail: `There is no activity ${id}.`,
    });
    expect((await insider.ask({ op: 'grab', activityId: id, ...fields })).body.code).toBe('0');
    await rain.closeActivity(id);
    await waitFor(() => insider.news.some(({ event }) => event === 'activity.closed'), { what: 'the close' });
    expect([outsider.news, stream.heard]).toEqual([[], []]);
    await Promise.all([stream.close(), outsider.close(), insider.close()]);
  });

  it('sends events to an insider who cannot send headers, by the keys that their ticket was made with', async () => {
    const { id, keys } = await hide(kind);
    const stream = new AbortController();
    const heardWith = async (headers: Record<string, string>) => {
      const { body } = await rain.user('ann').post('/v1/me/events/tickets', undefined, { headers });
      const url = `${rain.url}/v1/me/events?activityId=${id}&ticket=${body.ticket}`;
      return (await fetch(url, { signal: stream.signal })).body!.pipeThrough(new TextDecoderStream());
    };
    const [insider, other] = [await heardWith(keys), await heardWith({})];
    const texts = ['', ''];
    const listening = [insider, other].map(async (events, i) => {
      for await (const text of events) texts[i] += text;
    });
    await waitFor(() => texts.every((text) => text.includes('id:')), { what: 'both streams' });
    await rain.closeActivity(id);
    const heard = () => (kind === 'people' ? texts : [texts[0]!]);
    await waitFor(() => heard().every((text) => text.includes('activity.closed')), { what: 'the close' });
    if (kind !== 'people') expect(texts[1]).not.toContain('activity.closed');
    stream.abort();
    await Promise.allSettled(listening);
  });

  it('admits those it is for, however they tap, and can be read by those who hold a packet', async () => {
    const { id, keys } = await hide(kind, { packetCount: 1 });
    const path = `/v1/activities/${id}`;
    const get = (user: string, headers: Record<string, string>) => rain.user(user).get(path, { headers });
    expect((await get('ann', keys)).status).toBe(200);
    const tap = (user: string, headers: Record<string, string>, query = '') =>
      rain.user(user).post(`${path}/grabs${query}`, undefined, { headers });
    expect((await tap('bob', {})).body.code).toBe('activity.not_found');
    expect((await tap('ann', keys)).body.code).toBe('0');
    const slow = await rain.user('ann').post(`${path}/grabs`, {}, { headers: keys });
    expect(slow.body.code).toBe('1');
    expect((await get('ann', {})).status).toBe(200);
    const wait = (user: string, headers: Record<string, string>) =>
      rain.user(user).post(`${path}/waitlist`, undefined, { headers });
    expect((await wait('bob', {})).body.code).toBe('activity.not_found');
    if (kind !== 'people') expect((await wait('bob', keys)).body).toMatchObject({ position: 1 });
  });
});

it('an activity for named people also needs a ticket if it asks for one, and outsiders do not learn that', async () => {
  const key = await createTicketKey(rain, 'both');
  const audience = { kind: 'people', userIds: ['ann', 'bob'] };
  const id = await rain.createActivity({ sponsorId: 'both', audience, admission: 'ticket' });
  const tap = (user: string, ticket?: string) =>
    rain.tap(id, user, { headers: ticket === undefined ? {} : { ticket } });
  expect((await tap('ann')).body.code).toBe('grab.ticket_required');
  expect((await tap('ann', ticketFor(key, id, 'ann', { hold: true }))).body.code).toBe('0');
  expect((await tap('cem', ticketFor(key, id, 'cem'))).body.code).toBe('activity.not_found');
  expect((await rain.user('ann').get(`/v1/me/packets?activityId=${id}`)).body.items).toMatchObject([
    { settlement: 'held' },
  ]);
});

it('a password matches in any case, width and spacing, with or without the variation selectors of emoji', async () => {
  const { id } = await hide('password');
  const as = (password: string) => rain.tap(id, `typist-${randomUUID()}`, { headers: encoded(password) });
  for (const same of ['恭喜fa财🧧', '恭喜 FA 财　🧧', '恭喜ｆＡ财\u{1F9E7}\uFE0F', ' 恭喜\u200bFa财 🧧 '])
    expect((await as(same)).body.code).toBe('0');
  for (const other of ['恭喜fa财', '恭喜发财🧧', '', '%'])
    expect((await as(other)).body.code).toBe('activity.not_found');
  const broken = await rain.tap(id, 'broken', { headers: { 'packet-password': '%E6%81' } });
  expect(broken.body.code).toBe('activity.not_found');
});

describe('wrong passwords', () => {
  const guess = (user: string, id: string, password = 'wrong', url = rain.url) =>
    rain.user(user, url).post(`/v1/activities/${id}/grabs`, undefined, { headers: encoded(password) });

  it('are limited to ten per minute and user over all routes together, whether or not the activity exists', async () => {
    const { id } = await hide('password');
    const watcher = await GatewayClient.connect(rain.url, rain.tokenOf('guesser'));
    for (let i = 0; i < 3; i++) {
      expect((await guess('guesser', id)).status).toBe(404);
      expect((await guess('guesser', ID_OF_NOTHING)).status).toBe(404);
      expect((await watcher.ask({ op: 'watch', activityIds: [id], password: 'wrong' })).status).toBe(200);
    }
    const read = await rain.user('guesser').get(`/v1/activities/${id}`, { headers: encoded('wrong') });
    expect(read.status).toBe(404);
    const refused = await guess('guesser', id, PASSWORD);
    expect(refused).toMatchObject({ status: 429, body: { code: 'audience.too_many_passwords' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await watcher.ask({ op: 'grab', activityId: id, password: PASSWORD })).status).toBe(429);
    expect((await guess('another', id, PASSWORD)).body.code).toBe('0');
    await watcher.close();
  });

  it('and a share code that Postgres cannot read do not spoil the query of anyone else', async () => {
    const { id } = await hide('password');
    const [odd, right] = await Promise.all(
      ['odd', 'right'].map((user) => GatewayClient.connect(rain.url, rain.tokenOf(user))),
    );
    const watches = Array.from({ length: 8 }, () => [
      odd!.ask({ op: 'watch', activityIds: [ID_OF_NOTHING], shareCode: '\0'.padEnd(22, 'a') }),
      right!.ask({ op: 'watch', activityIds: [id], password: PASSWORD }),
    ]);
    const answers = await Promise.all(watches.flat());
    expect(answers.map(({ status, body }) => [status, body.activityIds])).toEqual(
      watches.flatMap(() => [
        [200, []],
        [200, [id]],
      ]),
    );
    await Promise.all([odd!.close(), right!.close()]);
  });

  it('are limited to ten even if hundreds arrive at once, and right ones are not counted', async () => {
    const { id } = await hide('password', { packetCount: 1 });
    const answers = await Promise.all(Array.from({ length: 200 }, () => guess('flooder', id)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(10).fill(404), ...Array<number>(190).fill(429)]);
    for (let i = 0; i < 25; i++) expect((await guess('tapper', id, PASSWORD)).status).toBe(200);
  });

  describe('of two processes', () => {
    let program: Program;
    let urls: readonly string[];

    beforeAll(async () => {
      const another = await rain.startAnother('main.js');
      program = another.program;
      urls = [rain.url, another.url];
    });

    afterAll(() => program.stop());

    /** Later, some of the minute before no longer counts. */
    const earlyInAMinute = () =>
      waitFor(() => Promise.resolve(Date.now() % 60_000 < 45_000), { what: 'the next minute' });

    const wrongAmong = (answers: readonly { status: number }[]) =>
      answers.filter(({ status }) => status === 404).length;

    it('are limited to ten in total, however they are spread', async () => {
      const { id } = await hide('password');
      await earlyInAMinute();
      const answers = [];
      for (let i = 0; i < 30; i++) answers.push(await guess('mover', id, 'wrong', urls[i % 2]));
      expect(answers.map(({ status }) => status)).toEqual([
        ...Array<number>(10).fill(404),
        ...Array<number>(20).fill(429),
      ]);
      for (const url of urls) expect((await guess('mover', id, PASSWORD, url)).status).toBe(429);
    });

    it('are limited to ten in total if hundreds reach both at once', async () => {
      const { id } = await hide('password');
      await earlyInAMinute();
      const floods = urls.flatMap((url) =>
        Array.from({ length: 100 }, () => guess('spreader', id, 'wrong', url)),
      );
      expect(wrongAmong(await Promise.all(floods))).toBe(10);
    });

    it('do not keep right ones of the same user out of either until there are ten', async () => {
      const { id } = await hide('password', { packetCount: 1 });
      await earlyInAMinute();
      for (let i = 0; i < 9; i++) expect((await guess('typo', id, 'wrong', urls[i % 2])).status).toBe(404);
      for (let i = 0; i < 20; i++) expect((await guess('typo', id, PASSWORD, urls[i % 2])).status).toBe(200);
      const last = await Promise.all(urls.map((url) => guess('typo', ID_OF_NOTHING, 'wrong', url)));
      expect(last.map(({ status }) => status).sort()).toEqual([404, 429]);
    });
  });
});

describe('a share code', () => {
  const MANY_PACKETS = { packetCount: 1_000 };

  /** @param tap of someone without a packet, whom the code admits until then */
  const waitForTheEnd = (tap: () => Promise<{ status: number }>) =>
    waitFor(async () => (await tap()).status === 404, { what: 'the end of the code' });

  it('is 128 bits, differs for each activity, and ends when its sponsor rotates it', async () => {
    const [first, second] = [await hide('link', MANY_PACKETS), await hide('link')];
    const code = first.keys['share-code']!;
    expect(Buffer.from(code, 'base64url')).toHaveLength(16);
    expect(second.keys['share-code']).not.toBe(code);
    const read = (user: string, shareCode: string, id = first.id) =>
      rain.user(user).get(`/v1/activities/${id}`, { headers: { 'share-code': shareCode } });
    expect((await read('ann', code)).status).toBe(200);
    expect((await read('ann', code, second.id)).status).toBe(404);
    const tap = (user: string, shareCode: string) =>
      rain.tap(first.id, user, { headers: { 'share-code': shareCode } });
    expect((await tap('ann', code)).body.code).toBe('0');

    const host = rain.user(first.sponsorId);
    const rotate = () => host.post(`/v1/activities/${first.id}/share-code`, undefined, { key: 'a-new-code' });
    const rotated = await rotate();
    expect(rotated.status).toBe(201);
    expect((await rotate()).body).toEqual(rotated.body);
    expect(rotated.body.shareCode).not.toBe(code);
    expect((await read('bob', code)).status).toBe(404);
    await waitForTheEnd(() => tap(`late-${randomUUID()}`, code));
    expect((await tap('bob', rotated.body.shareCode)).body.code).toBe('0');
    expect((await read('ann', code)).status).toBe(200);
  });

  it('can be rotated by a user at most a hundred times a day, and by staff as often as they need', async () => {
    const { id, sponsorId } = await hide('link');
    const rotate = async (as: Caller) => {
      const { status, body } = await as.post(`/v1/activities/${id}/share-code`);
      return [status, body.detail];
    };
    await rain.sql(
      `insert into audit_log (actor_id, action, subject)
       select '${sponsorId}', 'activity.share-code', 'activity:1' from generate_series(1, 99)`,
    );
    expect((await rotate(rain.user(sponsorId)))[0]).toBe(201);
    expect(await rotate(rain.user(sponsorId))).toEqual([
      429,
      expect.stringContaining('100 times within 24 hours'),
    ]);
    expect((await rotate(rain.operator()))[0]).toBe(201);
  });

  it('that was rotated still brings winners their own packet, however they tap', async () => {
    const { id, sponsorId, keys } = await hide('link', MANY_PACKETS);
    const path = `/v1/activities/${id}/grabs`;
    const tap = (user: string, body?: object) => rain.user(user).post(path, body, { headers: keys });
    const { body: won } = await tap('ann');
    expect(won.code).toBe('0');
    await rain.user(sponsorId).post(`/v1/activities/${id}/share-code`);
    await waitForTheEnd(() => tap(`late-${randomUUID()}`));
    const gateway = await GatewayClient.connect(rain.url, rain.tokenOf('ann'));
    const frame = { op: 'grab', activityId: id, shareCode: keys['share-code'] };
    const answers = [await tap('ann'), await tap('ann', {}), await gateway.ask(frame)];
    for (const { status, body } of answers)
      expect({ status, body }).toMatchObject({ status: 200, body: { ...won, code: '1' } });
    await gateway.close();
  });

  it('is shown only to the sponsor and staff, and only where there is one', async () => {
    const { id, sponsorId, keys } = await hide('link');
    const path = `/v1/activities/${id}/share-code`;
    expect((await rain.user('ann').post(path, undefined, { headers: keys })).status).toBe(404);
    expect((await rain.as('campaign').get(`/v1/activities/${id}/audience`)).body).toEqual({
      kind: 'link',
      shareCode: keys['share-code'],
    });
    const named = await hide('people');
    expect(await rain.user(named.sponsorId).post(`/v1/activities/${named.id}/share-code`)).toMatchObject({
      status: 409,
      body: { code: 'audience.no_share_code' },
    });
    expect((await rain.user(named.sponsorId).get(`/v1/activities/${named.id}/audience`)).body).toEqual({
      kind: 'people',
      userIds: ['ann'],
    });
    const log = await rain.operator().get(`/v1/audit-log?subject=activity:${id}`);
    expect(log.text).not.toContain(keys['share-code']);
    expect((await rain.user(sponsorId).get(`/v1/activities/${id}`)).text).not.toContain(keys['share-code']);
  });
});

describe('the audience of a new activity', () => {
  it('is everyone if staff create it, and those with its link if a user does', async () => {
    const sponsorId = 'defaulter';
    const id = await rain.createActivity({ sponsorId });
    expect((await rain.user('ann').get(`/v1/activities/${id}`)).body).not.toHaveProperty('audience');
    expect((await rain.operator().get(`/v1/activities/${id}/audience`)).body).toEqual({ kind: 'public' });
    await rain.deposit(sponsorId, '300.00');
    const create = (audience?: object) =>
      rain.user(sponsorId).post('/v1/activities', { ...planOf({ sponsorId }), audience });
    expect((await create()).body).toMatchObject({ audience: { kind: 'link' } });
    expect((await create({ kind: 'public' })).body).not.toHaveProperty('audience');
  });

  it.each<[string, unknown, string]>([
    ['a string', 'link', 'audience'],
    ['an unknown kind', { kind: 'friends' }, 'audience.kind'],
    ['an object without a kind', {}, 'audience.kind'],
    ['an empty list of people', { kind: 'people', userIds: [] }, 'audience.userIds'],
    [
      'too many people',
      { kind: 'people', userIds: Array.from({ length: 501 }, (_, i) => `u${i}`) },
      'audience.userIds',
    ],
    ['a list with an invalid user id', { kind: 'people', userIds: ['a b'] }, 'audience.userIds'],
    ['people without ids', { kind: 'people' }, 'audience.userIds'],
    ['a missing password', { kind: 'password' }, 'audience.password'],
    ['a blank password', { kind: 'password', password: ' \u200b ' }, 'audience.password'],
    ['a long password', { kind: 'password', password: 'x'.repeat(65) }, 'audience.password'],
    ['a password of an audience that has none', { kind: 'link', password: 'x' }, 'audience.password'],
  ])('is refused with its field if it is %s', async (_, audience, field) => {
    const answer = await rain.operator().post('/v1/activities', { ...planOf(), audience });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });

  it('keeps its logo to those who see it', async () => {
    const { id, sponsorId, keys } = await hide('link');
    const logo =
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4f50BAASvAdf+LcOSAAAAAElFTkSuQmCC';
    const shown = await rain.user(sponsorId).patch(`/v1/activities/${id}`, { logo });
    expect(shown.body.logo).toBe(logo);
    const read = await rain.user('ann').get(`/v1/activities/${id}`, { headers: keys });
    expect(read.body.logo).toBe(logo);
    expect((await fetch(`${rain.url}/v1/activities/${id}/logo`)).status).toBe(404);
  });
});
