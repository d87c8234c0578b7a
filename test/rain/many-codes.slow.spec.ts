import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { waitFor } from '../harness/engines';
import { planOf } from '../harness/installation';
import { rain, shareInstallation } from '../harness/shared-installation';

const MOST = 1_000_000;

shareInstallation({
  CODE_SEAL_KEY: Buffer.alloc(32, 9).toString('base64'),
  RATE_LIMIT_USER_PER_SECOND: '1000',
});

function* linesOf(count: number): Generator<string> {
  for (let no = 0; no < count; no += 1_000)
    yield Array.from({ length: Math.min(1_000, count - no) }, (_, i) => `voucher-${no + i}\n`).join('');
}

async function upload(poolId: string, count: number) {
  const response = await fetch(`${rain.url}/v1/code-pools/${poolId}/codes`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${rain.tokenOf('operator', 'operator')}`,
      'content-type': 'text/csv',
      'idempotency-key': randomUUID(),
    },
    body: Readable.toWeb(Readable.from(linesOf(count))) as ReadableStream,
    duplex: 'half',
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

it('a pool takes a million codes from one file and not one more, gives all of them to one rain, and takes back those that nobody won', async () => {
  const { id, currency } = (
    await rain.operator().post('/v1/code-pools', { name: 'Many', sponsorId: 'giver' })
  ).body;
  const read = async () => (await rain.operator().get(`/v1/code-pools/${id}`)).body;
  expect(await upload(id, MOST + 1)).toMatchObject({
    status: 422,
    body: { code: 'code_pool.too_many_codes' },
  });
  expect(await read()).toMatchObject({ uploaded: 0, free: 0 });
  expect(await upload(id, MOST)).toEqual({ status: 200, body: { count: MOST, uploaded: MOST } });

  const plan = planOf({
    sponsorId: 'giver',
    totalAmount: String(MOST),
    packetCount: MOST,
    split: { kind: 'equal' },
  });
  const created = await rain.operator().post('/v1/activities', { ...plan, currency });
  expect(created.status).toBe(201);
  const activityId = created.body.id as string;
  expect(await read()).toMatchObject({ free: 0, reserved: MOST });
  const shown = new Set<string>();
  for (const user of ['ann', 'bob', 'cid']) {
    const { body } = await rain.tap(activityId, user);
    await rain.settled(activityId);
    shown.add((await rain.user(user).get(`/v1/me/packets/${body.redPacketId}/code`)).body.code);
  }
  expect(shown.size).toBe(3);
  expect((await rain.closeActivity(activityId)).status).toBe(200);
  const held = 'select from code_reserved where returned_at is null';
  await waitFor(async () => (await rain.sql(held)).length === 0, { what: 'the codes that nobody won' });
  expect(await read()).toMatchObject({ free: MOST - 3, reserved: 0, shown: 3 });
}, 600_000);
