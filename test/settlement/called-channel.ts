import { waitFor } from '../harness/engines';
import { type Payment, PayoutReceiver } from '../harness/payout-receiver';
import { rain, shareInstallation } from '../harness/shared-installation';

const FAST = { smallest: '0.01', quarantineSeconds: 1, keyLifetimeSeconds: 3_600, timeoutMs: 2_000 };

/** The receiver of all channels of a spec file, and one channel. */
export let receiver: PayoutReceiver;
export let channelId: string;
export let secret: string;

export function shareCalledChannel(): void {
  shareInstallation({ WEBHOOK_PRIVATE_ADDRESSES: 'true', RATE_LIMIT_USER_PER_SECOND: '10000' });
  beforeAll(async () => {
    receiver = await PayoutReceiver.start();
    ({ id: channelId, secret } = await createChannel());
  });
  afterAll(() => receiver.stop());
}

export const createChannel = async (profile: object = {}, url = receiver.url) =>
  (await rain.operator().post('/v1/payout-channels', { name: 'Shop', url, profile: { ...FAST, ...profile } }))
    .body as { id: string; secret: string };

/** Asks for a payout of a user who has money. */
export async function ask(user: string, amount = '5.00', channel = channelId): Promise<string> {
  await rain.operator().post(`/v1/wallets/${user}/deposits`, { amount: '10.00' });
  const { status, body } = await rain.user(user).post('/v1/me/payouts', { amount, channelId: channel });
  expect({ status, ...body }).toMatchObject({ status: 201 });
  return body.id as string;
}

export const read = async (id: string) => (await rain.as('support').get(`/v1/payouts/${id}`)).body;

export async function stateIs(id: string, state: string) {
  await waitFor(async () => (await read(id)).state === state, { what: `payout ${id} to be ${state}` });
  return read(id);
}

export const balanceOf = async (user: string) => (await rain.user(user).get('/v1/me/wallet')).body.balance;

/** Returns the kinds of the findings about a payout. */
export async function endFindings(payoutId: string): Promise<string[]> {
  const { items } = (await rain.as('finance').get('/v1/payout-findings')).body;
  const ours = items.filter((one: Payment & { payoutId: string }) => one.payoutId === payoutId);
  for (const { id } of ours)
    await rain.as('finance').post(`/v1/payout-findings/${id}/end`, { resolution: 'A test.' });
  return ours.map(({ kind }: { kind: string }) => kind);
}
