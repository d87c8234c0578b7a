import { randomBytes } from 'node:crypto';
import type { Caller } from '../harness/client';
import { planOf } from '../harness/installation';
import { rain } from '../harness/shared-installation';

interface Sent {
  readonly type?: string;
  readonly key?: string;
  readonly by?: Caller;
}

export const upload = (
  poolId: string,
  text: string | Uint8Array<ArrayBuffer>,
  { type = 'text/csv', key, by = rain.operator() }: Sent = {},
) => by.post(`/v1/code-pools/${poolId}/codes`, undefined, { text, key, headers: { 'content-type': type } });

let pools = 0;

/** Codes that occur nowhere else. */
export const codesOf = (count: number, prefix = `Zk${(pools += 1)}`): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${randomBytes(6).toString('hex')}-${i}`);

export async function newPool(sponsorId: string, codes: readonly string[] = []) {
  const created = await rain.operator().post('/v1/code-pools', { name: `Pool of ${sponsorId}`, sponsorId });
  expect(created.status).toBe(201);
  if (codes.length > 0) expect((await upload(created.body.id, codes.join('\n'))).status).toBe(200);
  return created.body as { id: string; currency: string };
}

export const planOfCodes = (sponsorId: string, currency: string, count: number) => ({
  ...planOf({ sponsorId, totalAmount: String(count), packetCount: count, split: { kind: 'equal' } }),
  currency,
});

export const create = (sponsorId: string, currency: string, count: number) =>
  rain.operator().post('/v1/activities', planOfCodes(sponsorId, currency, count));

export async function begun(sponsorId: string, currency: string, count: number): Promise<string> {
  const { status, body } = await create(sponsorId, currency, count);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.id;
}

export const won = async (activityId: string, user: string): Promise<string> =>
  (await rain.win(activityId, user)).redPacketId;

export const codeOf = (user: string, packetId: string, url?: string) =>
  rain.user(user, url).get(`/v1/me/packets/${packetId}/code`);

export const countsOf = async (poolId: string) => {
  const { uploaded, free, reserved, shown, burnt } = (await rain.operator().get(`/v1/code-pools/${poolId}`))
    .body;
  return { uploaded, free, reserved, shown, burnt };
};
