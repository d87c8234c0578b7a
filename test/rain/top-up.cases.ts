import { waitFor } from '../harness/engines';
import { sumOf } from '../harness/installation';
import { rain } from '../harness/shared-installation';

describe('a top-up of a rain', () => {
  const read = async (activityId: string) => (await rain.operator().get(`/v1/activities/${activityId}`)).body;

  const balanceOf = async (owner: string): Promise<string> =>
    (await rain.operator().get(`/v1/wallets/${owner}`)).body.balance;

  it('lets latecomers win when the rain is sold out, has one effect however often it is sent, and leaves books that agree', async () => {
    const activityId = await rain.createActivity({ sponsorId: 'giver', totalAmount: '2.00', packetCount: 2 });
    for (const user of ['ann', 'bob']) await rain.win(activityId, user);
    expect((await rain.tap(activityId, 'cem')).body).toEqual({ code: '-1', reason: 'sold-out' });
    expect((await read(activityId)).phase).toBe('sold-out');

    await rain.deposit('giver', '10.00');
    const body = { amount: '4.00', packetCount: 4, split: { kind: 'equal' } };
    const send = () =>
      rain.user('giver').post(`/v1/activities/${activityId}/top-ups`, body, { key: 'top-up-once' });
    const first = await send();
    expect(first).toMatchObject({
      status: 201,
      body: { id: expect.stringMatching(/^\d+$/), activityId, amount: '4.00', packetCount: 4 },
    });
    expect(Date.parse(first.body.createdAt)).not.toBeNaN();
    const replay = await send();
    expect(replay).toMatchObject({ status: 201, body: first.body });
    expect(replay.headers.get('idempotency-replayed')).toBe('true');

    expect(await read(activityId)).toMatchObject({ phase: 'open', packetCount: 6, totalAmount: '6.00' });
    expect(await rain.proof(activityId)).toMatchObject({ funded: '6.00', redis: { agrees: true } });
    const answers = await Promise.all(
      ['cem', 'dan', 'eve', 'fay', 'gus'].map((user) => rain.tap(activityId, user)),
    );
    expect(answers.map(({ body: { code } }) => code).sort()).toEqual(['-1', '0', '0', '0', '0']);
    const won = answers.filter(({ body: { code } }) => code === '0');
    expect(sumOf(won.map(({ body: { amount } }) => amount))).toBe(400);

    await rain.settled(activityId);
    expect(await rain.proof(activityId)).toMatchObject({
      verdict: 'balanced',
      funded: '6.00',
      credited: '6.00',
      unclaimed: '0.00',
      escrowBalance: '0.00',
      redis: { agrees: true, packetsLeft: 0, held: 6 },
    });
    expect((await rain.user('giver').get('/v1/me/wallet/entries')).body.items[0]).toMatchObject({
      kind: 'top-up',
      amount: '-4.00',
      activityId,
    });
    expect(await balanceOf('giver')).toBe('6.00');
  });

  async function everyShardIsTrusted(trusted: 0 | 1): Promise<void> {
    for (const shard of rain.keys.shards)
      await waitFor(async () => (await rain.metric(`hongbao_shard_trusted{shard="${shard}"}`)) === trusted, {
        what: `the trust in shard ${shard} to be ${trusted}`,
      });
  }

  /** Redis is distrusted until the worker continues, as after a restart that may have lost data. */
  async function pauseInDoubt(): Promise<void> {
    await everyShardIsTrusted(1);
    await rain.pauseWorker();
    for (const shard of rain.keys.shards) await rain.redis.hdel(rain.keys.trust(shard), 'server');
    await everyShardIsTrusted(0);
  }

  it('never leads to "sold-out" if Redis has forgotten the rain: users are asked to tap again, and then win', async () => {
    const activityId = await rain.createActivity({ sponsorId: 'forgotten', packetCount: 1 });
    await rain.win(activityId, 'ann');
    await rain.settled(activityId);
    expect((await rain.tap(activityId, 'bob')).body.reason).toBe('sold-out');
    try {
      await pauseInDoubt();
      const { packets, state } = rain.keys.activity(activityId);
      const before = await rain.redis.dumpBuffer(state);
      await rain.deposit('forgotten', '1.00');
      const body = { amount: '1.00', packetCount: 1 };
      expect((await rain.operator().post(`/v1/activities/${activityId}/top-ups`, body)).status).toBe(201);

      await rain.redis.restore(state, 0, before, 'REPLACE');
      await rain.redis.del(packets);
      expect(await rain.tap(activityId, 'bob')).toMatchObject({
        status: 503,
        body: { code: 'activity.loading' },
      });
    } finally {
      rain.resumeWorker();
    }
    await waitFor(async () => (await rain.tap(activityId, 'bob')).body.code === '0', {
      what: 'the win of bob',
    });
  });

  it('is open to operators and the sponsor; for any other user the rain does not exist', async () => {
    const activityId = await rain.createActivity({ sponsorId: 'host' });
    await rain.deposit('host', '2.00');
    const body = { amount: '1.00', packetCount: 1 };
    const path = `/v1/activities/${activityId}/top-ups`;
    expect((await rain.operator().post(path, body)).status).toBe(201);
    expect((await rain.user('host').post(path, body)).status).toBe(201);
    expect(await rain.user('stranger').post(path, body)).toMatchObject({
      status: 404,
      body: { code: 'activity.not_found' },
    });
    const { items } = (await rain.operator().get(`/v1/audit-log?subject=activity:${activityId}`)).body;
    expect(items[0]).toMatchObject({
      action: 'activity.top-up',
      actorId: 'host',
      before: { totalAmount: '101.00', packetCount: 11 },
      after: { totalAmount: '102.00', packetCount: 12 },
      detail: { topUpId: expect.stringMatching(/^\d+$/) },
    });
  });

  it('is refused with a reason if the rain has ended, the money is missing, or its input is invalid', async () => {
    const activityId = await rain.createActivity({ sponsorId: 'broke' });
    const send = (body: object) => rain.operator().post(`/v1/activities/${activityId}/top-ups`, body);
    const refused = async (body: object) => {
      const { status, body: problem } = await send(body);
      return {
        status,
        code: problem.code,
        fields: problem.errors?.map(({ field }: { field: string }) => field),
      };
    };
    const enough = { amount: '1.00', packetCount: 1 };
    expect(await refused(enough)).toMatchObject({ status: 422, code: 'wallet.insufficient_funds' });
    const invalid = (field: string) => ({ status: 400, code: 'request.invalid', fields: [field] });
    expect(await refused({ ...enough, packetCount: 0 })).toEqual(invalid('packetCount'));
    expect(await refused({ ...enough, packetCount: 1_000_000, amount: '10000.00' })).toEqual(
      invalid('packetCount'),
    );
    expect(await refused({ ...enough, amount: '0.00' })).toEqual(invalid('amount'));
    expect(await refused({ ...enough, split: { kind: 'random', min: '2.00' } })).toEqual(
      invalid('split.min'),
    );
    expect(await refused({ ...enough, split: { kind: 'fair' } })).toEqual(invalid('split.kind'));
    expect(await refused({ ...enough, split: null })).toEqual(invalid('split'));

    await rain.closeActivity(activityId);
    expect(await refused(enough)).toMatchObject({ status: 409, code: 'activity.ended' });
    expect(await balanceOf('broke')).toBe('100.00');
  });
});
