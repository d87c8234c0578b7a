import { SERIES_EXAMPLES } from '../../src/extensions/series/series.dto';
import { type Operation, readApi } from '../harness/api-operations';
import type { Caller } from '../harness/client';
import { planOf } from '../harness/installation';
import { rain, shareInstallation } from '../harness/shared-installation';
import { wonByRobot } from './robots';

interface Work {
  readonly as?: (example: string) => Caller;
  /** Returns the id that a person would type, of an object created for one example. */
  readonly typed?: (example: string) => Promise<string>;
  readonly status: number;
  /** The expected effect of the first example, which Swagger UI fills in. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly effect?: (answer: any, typed: string) => unknown;
}

const finance = () => rain.as('finance');

const HOUR_MS = 3_600_000;

/** It opens within the hour and closes in a day, like an example's activity. */
const newActivity = () => {
  const closesAt = new Date(Date.now() + 24 * HOUR_MS).toISOString();
  return rain.createActivity({ sponsorId: 'operator', opensInMs: HOUR_MS / 2, closesAt });
};

const newChannel = async (url?: string): Promise<string> => {
  const body = { name: 'Clicked', url, profile: { smallest: '1.00' } };
  return (await rain.operator().post('/v1/payout-channels', body)).body.id;
};

let robots = 0;
const newLetter = async () => (await wonByRobot(`robot-${(robots += 1)}`)).letterId;

const statusOfLetter = async (id: string): Promise<string> => {
  const letter = await rain.row<{ status: string }>(`select status from dead_letter where id = ${id}`);
  return letter.status;
};

/** The worker stays frozen until the effect of the click has been read. */
async function newPendingClaim(): Promise<string> {
  const activityId = await rain.createActivity({ packetCount: 1 });
  await rain.pauseWorker();
  await rain.tap(activityId, 'suspect');
  const claim = await rain.row<{ id: string }>(`select id from claim where activity_id = ${activityId}`);
  return claim.id;
}

/** Requests a payout that the channel leaves untouched. */
async function newPayout(channelId: string): Promise<string> {
  await rain.deposit('leaver', '5.00');
  const asked = await rain.user('leaver').post('/v1/me/payouts', { amount: '2.00', channelId });
  return asked.body.id as string;
}

async function newFinding(): Promise<string> {
  const channelId = await newChannel();
  const id = await newPayout(channelId);
  const channel = rain.channel(channelId);
  for (const outcome of ['refused', 'paid'])
    await channel.post('/v1/payouts/outcomes', { outcomes: [{ id, outcome, externalId: 'T-1' }] });
  return (await finance().get('/v1/payout-findings')).body.items[0].id;
}

const newSeries = async (): Promise<string> => {
  const example = SERIES_EXAMPLES['every Friday']!;
  const start = new Date(Date.now() + HOUR_MS).toISOString().slice(0, 19);
  return (await rain.operator().post('/v1/series', { ...example, start, rrule: 'FREQ=DAILY' })).body.id;
};

const newWebhook = async (): Promise<string> =>
  (await rain.operator().post('/v1/webhooks', { url: 'https://partner.example/clicked' })).body.id;

const channelOf = async (id: string) =>
  (await rain.operator().get('/v1/payout-channels')).body.items.find((one: { id: string }) => one.id === id);

let before: unknown;

/** By operation: who clicks, on what, and with what effect. */
const WORK: Record<string, Work> = {
  depositMoney: {
    typed: async (example) => `fund-${example.length}`,
    status: 201,
    effect: ({ balance }) => expect(balance).toBe('100.00'),
  },
  reverseDeposit: {
    as: finance,
    typed: async () => (await rain.deposit('hasty', '1.00')).body.transferId,
    status: 202,
    effect: ({ amount }) => expect(amount).toBe('1.00'),
  },
  rejectRequest: {
    as: finance,
    async typed() {
      const { body } = await rain.deposit('hasty', '1.00');
      const reason = 'Deposited by mistake.';
      return (await rain.operator().post(`/v1/deposits/${body.transferId}/reverse`, { reason })).body.id;
    },
    status: 200,
    effect: ({ status }) => expect(status).toBe('rejected'),
  },
  setBudget: {
    typed: async () => 'thrifty',
    status: 200,
    effect: ({ perDay }) => expect(perDay).toBe('5000.00'),
  },
  previewSplit: { status: 200, effect: ({ packets }) => expect(packets).toBe(20) },
  createActivity: {
    as: (example) => (example.startsWith('by a user') ? rain.user('operator') : rain.operator()),
    status: 201,
    effect: (activity) =>
      expect(activity).toMatchObject({ phase: 'open', sponsorId: 'operator', totalAmount: '100.00' }),
  },
  thankForPacket: {
    as: () => rain.user('winner'),
    typed: async () => {
      const activityId = await rain.createActivity({ packetCount: 1 });
      const { body } = await rain.tap(activityId, 'winner');
      return body.redPacketId as string;
    },
    status: 201,
    effect: ({ text }) => expect(text).toBe('谢谢老板'),
  },
  topUpActivity: { typed: newActivity, status: 201, effect: ({ amount }) => expect(amount).toBe('4.00') },
  extendActivity: {
    typed: newActivity,
    status: 200,
    effect: ({ closesAt, opensAt }) =>
      expect(Date.parse(closesAt) - Date.parse(opensAt)).toBeGreaterThan(40 * 3_600_000),
  },
  reportRehearsal: {
    typed: async () =>
      (await rain.operator().post('/v1/activities', { ...planOf(), rehearsal: true })).body.id,
    status: 201,
    effect: ({ taps, p99Ms }) => expect([taps, p99Ms]).toEqual([200_000, 22]),
  },
  changeActivityLook: {
    typed: newActivity,
    status: 200,
    effect: ({ theme, logo }) => expect([theme, logo]).toEqual([null, null]),
  },
  replayDeadLetters: { typed: newLetter, status: 200, effect: ({ replayed }) => expect(replayed).toBe(1) },
  resolveDeadLetter: {
    typed: newLetter,
    status: 200,
    effect: async (_, id) => expect(await statusOfLetter(id)).toBe('resolved'),
  },
  voidDeadLetter: {
    async typed(example) {
      const id = await newLetter();
      if (example !== 'open letter')
        await finance().post(`/v1/dead-letters/${id}/resolve`, { reason: 'Paid by hand.' });
      return id;
    },
    status: 200,
    effect: async (_, id) => expect(await statusOfLetter(id)).toBe('void'),
  },
  holdClaim: {
    typed: newPendingClaim,
    status: 200,
    effect({ reason, status }) {
      rain.resumeWorker();
      expect([reason, status]).toEqual(['held', 'open']);
    },
  },
  createPayoutChannel: { status: 201, effect: ({ url }) => expect(url).toBeNull() },
  changePayoutChannel: {
    async typed() {
      const id = await newChannel();
      before = await channelOf(id);
      return id;
    },
    status: 200,
    effect: async (_, id) => expect(await channelOf(id)).toEqual(before),
  },
  // Money leaves only through a channel whose id has been typed.
  addCosignature: { status: 403 },
  requestPayout: { as: () => rain.user('leaver'), status: 404 },
  reportPayoutOutcomes: {
    as: () => rain.channel('1'),
    status: 200,
    effect: ({ results }) => expect(results).toMatchObject([{ result: 'not-found' }]),
  },
  // Nothing is resolved before a second person approves it.
  resolvePayout: {
    as: finance,
    typed: async () => newPayout(await newChannel()),
    status: 202,
    effect: ({ status }) => expect(status).toBe('pending'),
  },
  endPayoutFinding: {
    as: finance,
    typed: newFinding,
    status: 200,
    effect: ({ endedBy }) => expect(endedBy).toBe('finance'),
  },
  endFindingsOfStatement: {
    as: finance,
    typed: () => Promise.resolve('999999'),
    status: 404,
    effect: ({ code }) => expect(code).toBe('payout_statement.not_found'),
  },
  createWebhook: { status: 201, effect: ({ url }) => expect(url).toBe('https://partner.example/hongbao') },
  changeWebhook: {
    typed: newWebhook,
    status: 200,
    effect: ({ description }) => expect(description).toBeNull(),
  },
  replayWebhookDeadLetters: {
    typed: newWebhook,
    status: 200,
    effect: ({ replayed }) => expect(replayed).toBe(0),
  },
  createCodePool: { status: 201, effect: ({ currency, id }) => expect(currency).toBe(`CODE${id}`) },
  previewSeries: { status: 200, effect: ({ occurrences }) => expect(occurrences).toHaveLength(10) },
  createSeries: {
    status: 201,
    effect: ({ status, next }) =>
      expect([status, Date.parse(next.opensAt) > Date.now()]).toEqual(['active', true]),
  },
  changeSeries: {
    typed: newSeries,
    status: 200,
    effect: ({ rrule }) => expect(rrule).toBe('FREQ=WEEKLY;BYDAY=FR'),
  },
  createCurrency: { status: 201, effect: ({ code }) => expect(code).toBe('COINS') },
  createTicketKey: { status: 201, effect: ({ sponsorId }) => expect(sponsorId).toBe('operator') },
};

describe('what Swagger UI fills in', () => {
  let tags: readonly { readonly name: string; readonly description: string }[];
  let operations: Operation[];

  shareInstallation({
    CODE_SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
    RATE_LIMIT_USER_PER_SECOND: '1000',
  });

  beforeAll(async () => {
    ({ tags, operations } = await readApi(rain.url));
    // The first channel of an installation, which examples name, and the wallet of the person who clicks.
    expect(await newChannel('https://shop.example/first')).toBe('1');
    for (const owner of ['operator', 'sponsor-1']) await rain.deposit(owner, '9000.00');
  });

  const withJson = () => operations.filter(({ requestBody }) => requestBody?.content['application/json']);

  it('is tested for every operation that has a body, except the file of a channel, which is chosen by hand', () => {
    expect(
      withJson()
        .map(({ operationId }) => operationId)
        .sort(),
    ).toEqual(Object.keys(WORK).sort());
    const others = operations.filter(
      ({ requestBody }) => requestBody && !requestBody.content['application/json'],
    );
    expect(others.map(({ operationId }) => operationId)).toEqual(['comparePayoutStatement', 'uploadCodes']);
  });

  it('does not fill in ids in paths: they are typed', () => {
    const filled = operations.filter(({ parameters = [] }) =>
      parameters.some((one) => one.in === 'path' && (one.example ?? one.schema.example) !== undefined),
    );
    expect(filled.map(({ path }) => path)).toEqual([]);
  });

  it.each(Object.keys(WORK))(
    'is accepted unchanged as the body of %s, and does no harm',
    async (operationId) => {
      const { as = () => rain.operator(), typed, status, effect } = WORK[operationId]!;
      const { method, path, requestBody } = withJson().find((one) => one.operationId === operationId)!;
      const examples = Object.entries(requestBody!.content['application/json']!.examples!);
      for (const [i, [name, { value }]] of examples.entries()) {
        const id = (await typed?.(name)) ?? '';
        const place = path.replace(/\{\w+\}/, id);
        const caller = as(name);
        const answer = await caller[method.toLowerCase() as 'patch' | 'post' | 'put'](place, value);
        expect([name, answer.status, answer.body.errors]).toEqual([name, status, undefined]);
        if (i === 0) await effect?.(answer.body, id);
      }
    },
  );

  it('lists the operations in the order in which an evening needs them', () => {
    const names = operations.map(({ operationId }) => operationId);
    const night = [
      ...['depositMoney', 'previewSplit', 'createActivity', 'checkPreflight', 'readActivityProgress'],
      ...['topUpActivity', 'listDeadLetters', 'closeActivity', 'reconcileActivity', 'exportResults'],
    ];
    expect(names.filter((name) => night.includes(name))).toEqual(night);
    const tagged = operations.map((one) => one.tags[0]!);
    expect([...new Set(tagged)]).toEqual(tags.map(({ name }) => name));
    expect(tags.filter(({ description }) => !description)).toEqual([]);
  });
});
