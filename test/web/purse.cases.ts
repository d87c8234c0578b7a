import type { Page } from 'playwright-core';
import { seriousFaults } from './accessibility';
import { keyOf, loseFirstAnswer } from './requests';
import { fill, press, says, type Stage } from './stage';

export function purseCases(stage: Stage): void {
  const operator = () => stage.rain.operator();
  const report = (channel: string, outcome: object) =>
    stage.rain.channel(channel).post('/v1/payouts/outcomes', { outcomes: [outcome] });
  const payoutsOf = async (user: string) =>
    (await stage.rain.user(user).get('/v1/me/payouts')).body.items as { id: string; state: string }[];
  const balance = (page: Page, amount: string) => page.locator(`[data-balance="${amount}"]`).waitFor();

  it('lets a player withdraw once even if an answer is lost, and shows the outcome of the payout', async () => {
    const shop = await stage.createChannel('Shop balance', { smallest: '1.00', largest: '6.00' });
    await stage.createChannel('Bank', { smallest: '5.00' });
    await stage.createChannel('Called', { smallest: '1.00' }, 'https://shop.example/hongbao');
    await operator().post('/v1/wallets/wendy/deposits', { amount: '8.00' });
    const id = await stage.rain.createActivity({ packetCount: 1, opensInMs: 3_000_000 });
    const { page, traffic } = await stage.player(id, 'wendy', { reducedMotion: 'reduce' });
    await balance(page, '8.00');
    expect(traffic.join()).not.toContain('payout');
    await press(page, 'Wallet ¥8.00');
    await says(page, 'No withdrawals yet.');
    await page.getByLabel('To').selectOption('Shop balance');
    expect(await page.getByLabel('Amount').inputValue()).toBe('6.00');
    await fill(page, 'Amount', '0.50');
    await press(page, 'Withdraw');
    await says(page, "That's less than the smallest withdrawal.");

    const keys = await loseFirstAnswer(page, '**/v1/me/payouts', keyOf);
    await fill(page, 'Amount', '2.50');
    await press(page, 'Withdraw');
    await says(page, '¥2.50 is on its way.');
    await balance(page, '5.50');
    await says(page, 'Queued');
    const [payout, ...more] = await payoutsOf('wendy');
    expect([more, keys]).toEqual([[], [keys[0], keys[0]]]);

    const action = 'Confirm it in the app of the shop.';
    await report(shop, { id: payout!.id, outcome: 'needs-user', action });
    await says(page, action);
    expect(await seriousFaults(page)).toEqual([]);
    await press(page, 'Close');
    await says(page, 'Waiting for you');
    await page.getByRole('button', { name: /Wallet ¥5.50/ }).click();
    await report(shop, { id: payout!.id, outcome: 'paid' });
    await page.getByText('Paid', { exact: true }).waitFor();
    await press(page, 'Withdraw');
    await says(page, '¥5.50 is on its way.');
    await says(page, 'Withdrawals start at');
    const [second] = await payoutsOf('wendy');
    await report(shop, { id: second!.id, outcome: 'refused', code: 'user-closed' });
    await says(page, 'Your account there is closed.');
    await balance(page, '5.50');
  });
}
