import { randomBytes } from 'node:crypto';
import type { Answer, CallOptions } from '../harness/client';
import { planOf } from '../harness/installation';
import { rain, shareInstallationWithoutWorker } from '../harness/shared-installation';

/** The least that is allowed: one connection for taps, and one for everything else. */
shareInstallationWithoutWorker({ DATABASE_POOL_MAX: '2', CODE_SEAL_KEY: randomBytes(32).toString('base64') });

/** A deed that succeeds. */
async function done(path: string, body?: object, options?: CallOptions, by = rain.operator()) {
  const { status, body: answer }: Answer = await by.post(`/v1/${path}`, body, options);
  expect({ path, answer, isDone: status < 300 }).toMatchObject({ isDone: true });
  return answer;
}

it('no deed needs a second connection while it holds one, which as many deeds at once would wait for in vain', async () => {
  const { id: poolId, currency } = await done('code-pools', { name: 'Coffee', sponsorId: 'cafe' });
  const csv = { text: 'one\ntwo\nthree', headers: { 'content-type': 'text/csv' } };
  await done(`code-pools/${poolId}/codes`, undefined, csv);
  const codes = planOf({ sponsorId: 'cafe', totalAmount: '2', packetCount: 2, split: { kind: 'equal' } });
  const { id: rainId } = await done('activities', { ...codes, currency });
  const more = { amount: '1', currency, packetCount: 1, split: { kind: 'equal' } };
  await done(`activities/${rainId}/top-ups`, more);
  await done(`activities/${rainId}/close`);

  const { id: channelId } = await done('payout-channels', { name: 'Shop', profile: { smallest: '0.01' } });
  const { transferId } = await done('wallets/ann/deposits', { amount: '5.00' });
  const { id } = await done('me/payouts', { amount: '1.00', channelId }, undefined, rain.user('ann'));
  for (const outcome of ['refused', 'paid'])
    await done('payouts/outcomes', { outcomes: [{ id, outcome }] }, undefined, rain.channel(channelId));
  const [finding] = (await rain.operator().get('/v1/payout-findings')).body.items;
  await done(`payout-findings/${finding.id}/own`);
  await done(`payout-findings/${finding.id}/end`, { resolution: 'The user paid it back.' });

  const asked = await rain
    .operator()
    .post(`/v1/deposits/${transferId}/reverse`, { reason: 'Deposited twice.' });
  expect(asked.status).toBe(202);
  await done(`approvals/${asked.body.id}/approve`, undefined, undefined, rain.operator('second'));
});

it('nor does a program that has yet to use a currency', async () => {
  const shells = { currency: 'SHELLS' };
  await done('currencies', { code: 'SHELLS', kind: 'points', name: 'Shells' });
  const channel = { name: 'Beach', profile: { smallest: '1' }, ...shells };
  const { id: channelId } = await done('payout-channels', channel);
  await done('wallets/bea/deposits', { amount: '5', ...shells });
  const ask = { amount: '1', channelId, ...shells };
  const { id } = await done('me/payouts', ask, undefined, rain.user('bea'));
  const { url } = await rain.startAnother('main.js');
  const report = { outcomes: [{ id, outcome: 'paid' }] };
  await done('payouts/outcomes', report, undefined, rain.channel(channelId, url));
});
