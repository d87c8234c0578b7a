import type { Page } from 'playwright-core';
import { waitFor } from '../harness/engines';
import { echo, type Payment, PayoutReceiver, reply } from '../harness/payout-receiver';
import { seriousFaults } from './accessibility';
import { confirm, fill, press, says, type Stage, tells } from './stage';

export function payoutsCases(stage: Stage): void {
  const operator = () => stage.rain.operator();
  const ask = async (user: string, channelId: string): Promise<string> => {
    await operator().post(`/v1/wallets/${user}/deposits`, { amount: '9.00' });
    const { body } = await stage.rain.user(user).post('/v1/me/payouts', { amount: '4.00', channelId });
    return body.id as string;
  };
  const report = (channel: string, outcome: object) =>
    stage.rain.channel(channel).post('/v1/payouts/outcomes', { outcomes: [outcome] });

  let receiver: PayoutReceiver;

  beforeAll(async () => {
    receiver = await PayoutReceiver.start();
  });

  afterAll(() => receiver.stop());

  it('of a rain are shown in three parts of its bar: credited, on its way out and paid out', async () => {
    const channelId = await stage.createChannel('Three parts');
    const id = await stage.rain.createActivity({
      packetCount: 4,
      totalAmount: '8.00',
      split: { kind: 'equal' },
      payout: { channelId },
    });
    for (const user of ['part-1', 'part-2', 'part-3'])
      await stage.rain.user(user).post(`/v1/activities/${id}/grabs`);
    const waiting = async (): Promise<{ id: string }[]> =>
      (await operator().get(`/v1/payout-channels/${channelId}/waiting`)).body.items;
    await waitFor(async () => (await waiting()).length === 3, { what: 'three payouts' });
    const [paid, refused] = await waiting();
    await report(channelId, { id: paid!.id, outcome: 'paid' });
    await report(channelId, { id: refused!.id, outcome: 'refused' });
    for (const path of [`/activities/${id}`, `/wall?first=${id}`]) {
      const { page } = await stage.staff(path, 'operator');
      for (const [place, amount] of Object.entries({ credited: '2.00', sent: '2.00', paid: '2.00' }))
        await page.locator(`.place.${place}`, { hasText: amount }).first().waitFor();
      await says(page, 'The parts add up to what was funded: 8.00 CNY.');
    }
  });

  it('go through a channel that is created here, with a secret that is shown once; their history is shown to the end', async () => {
    let payment: Payment;
    receiver.let('PUT sam', (response, asked) => {
      payment = asked;
      return reply(response, 422, { ...echo(asked), code: 'risk-7' });
    });
    const answers = (status: number, state: string) =>
      receiver.let('GET sam', (response) =>
        reply(response, status, { ...echo(payment), state, externalId: 'T-1' }),
      );
    answers(202, 'processing');
    const { page, complaints } = await stage.staff('/payouts/channels', 'operator');
    await press(page, 'New channel');
    await fill(page, 'Name', 'Shop called');
    await fill(page, 'URL', receiver.url);
    await fill(page, 'Smallest payout', '1.00');
    await press(page, 'Create');
    await says(page, /^whsec_/);
    await page.getByRole('link', { name: 'Shop called' }).click();
    await says(page, `It is called at ${receiver.url}`);
    const limits = page.getByRole('region', { name: 'Limits and pace' });
    await limits.getByText('1.00 CNY').waitFor();
    const text = await limits.innerText();
    for (const limit of ['Time limit of a call\n5 s', 'Retry a payment for at most\n24 h'])
      expect(text).toContain(limit);
    await press(page, 'Change');
    const save = page.getByRole('button', { name: 'Save', exact: true });
    expect(await save.getAttribute('aria-disabled')).toBe('true');
    await fill(page, 'Largest payout', '50.00');
    await save.click();
    await says(page, 'Changed. Existing payouts keep going.');
    await limits.getByText('50.00').waitFor();
    const id = await ask('sam', page.url().split('/').at(-1)!);

    await page
      .getByRole('region', { name: 'What is on its way' })
      .getByRole('link', { name: '1 open', exact: true })
      .click();
    await fill(page, 'User', 'nobody');
    await says(page, 'There is no such payout.');
    await fill(page, 'User', 'sam');
    await page.getByRole('link', { name: id, exact: true }).click();
    await tells(page, new RegExp(`Sending.*id ${id}a1 · call 1`));
    await tells(page, /Unknown.*because answered 422 risk-7/);
    await tells(page, /Processing.*call 2/);
    const faults = await seriousFaults(page);
    expect(await confirm(page, 'Ask the channel now')).toContain('nothing is paid a second time');
    // If it were paid before the click, the payout could no longer be retried.
    answers(200, 'paid');
    await tells(page, /Paid.*payment T-1/);
    await page.goto(`${stage.rain.url}/console/payouts/channels`);
    await page.getByRole('row', { name: /Shop called.*Healthy.*0\.00 CNY 0 / }).waitFor();
    expect([...faults, ...(await seriousFaults(page))]).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('are resolved by two people who know how they ended, and so are findings about them', async () => {
    const channel = await stage.createChannel('Two names');
    const id = await ask('tess', channel);
    for (const externalId of ['T-1', 'T-2']) await report(channel, { id, outcome: 'processing', externalId });
    const { page } = await stage.staff(`/payouts/findings?channel=${channel}`, 'finance', { sub: 'fin-1' });
    const row = page.getByRole('row', { name: /Processing here, processing there/ });
    const finding = await row.getByRole('cell').nth(1).innerText();
    await row.getByText('None yet').waitFor();
    await confirm(page, `Take on finding ${finding}`);
    await row.getByText('fin-1').waitFor();
    const faults = await seriousFaults(page);
    await page.getByRole('link', { name: id, exact: true }).click();
    await tells(page, /Still processing.*payment T-2/);
    await press(page, 'Record how it ended');
    await page.getByLabel('How it ended', { exact: true }).selectOption('paid');
    await fill(page, 'Evidence', 'Statement of the bank, line 17');
    await press(page, 'Request approval');
    await says(page, 'another person has to approve it');
    const { page: second } = await stage.staff('/approvals', 'finance', { sub: 'fin-2' });
    const request = second.getByRole('row', { name: /Statement of the bank, line 17/ });
    expect(await confirm(request, 'Approve')).toContain('Evidence: Statement of the bank, line 17');
    await tells(page, /Paid.*evidence Statement of the bank, line 17 · approved by fin-2/);
    await confirm(page, `End finding ${finding}`, 'T-2 was a test of the bank.');
    await tells(page, /ended.*by fin-1: T-2 was a test of the bank\./);
    await page.goto(`${stage.rain.url}/console/payouts/findings?channel=${channel}`);
    await says(page, 'There are none.');
    expect(faults).toEqual([]);
  });

  it('are shown on the wall on their way out, and those who may can pause their channel there', async () => {
    const channel = await stage.createChannel('Icy');
    await ask('walt', channel);
    const [{ page }, { page: looker }] = await Promise.all([
      stage.staff('/wall', 'operator'),
      stage.staff('/wall', 'support'),
    ]);
    const panel = (on: Page) => on.getByRole('article', { name: 'Icy' });
    await panel(looker).getByText('4.00 CNY').waitFor();
    expect(await panel(looker).getByRole('button').count()).toBe(0);
    expect(await confirm(page, 'Pause Icy')).toContain('Nothing more is sent to it');
    await panel(looker).getByText('Paused').waitFor();
    const wish = { amount: '1.00', channelId: channel };
    const { body } = await stage.rain.user('walt').post('/v1/me/payouts', wish);
    expect(body.code).toBe('payout_channel.paused');
    await confirm(page, 'Resume Icy');
    await panel(page).getByText('Healthy').waitFor();
  });

  it('are compared with the file of a day, which only a channel can hand in; what was found in one that was wrong ends at once', async () => {
    const channelId = await stage.createChannel('Filing');
    const { page } = await stage.staff('/', 'channel', { channelId });
    await page.getByRole('heading', { name: `Files of channel ${channelId}` }).waitFor();
    expect(await page.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual(['Files']);
    const lines = ['999999,nobody,1.00', '999998,no-one,2.00'].map(
      (line) => `${line},paid,2031-02-03T08:00:00Z`,
    );
    const buffer = Buffer.from(['payoutId,userId,amount,state,at', ...lines, ''].join('\n'));
    await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'day.csv', mimeType: '', buffer });
    await press(page, 'Hand in');
    await says(page, 'Lines: 2, as in our books: 0, posted: 0. Findings opened: 2, ended: 0.');
    expect(await seriousFaults(page)).toEqual([]);
    const { page: finance } = await stage.staff(`/payouts/channels/${channelId}`, 'finance');
    await finance.getByRole('heading', { name: 'Filing Stopped by a finding' }).waitFor();
    await finance.getByRole('link', { name: 'Go to the findings' }).click();
    await finance.getByRole('link', { name: /^Findings\s*\d+$/ }).waitFor();
    await finance.getByRole('row', { name: /user nobody.*1\.00 CNY/ }).waitFor();
    await finance.goto(`${stage.rain.url}/console/payouts?channel=${channelId}`);
    await finance.getByRole('link', { name: 'Stopped by a finding: Filing' }).click();
    await finance.getByRole('row', { name: /user nobody.*1\.00 CNY/ }).waitFor();
    const endAll = await finance.getByRole('button', { name: /^End all of file/ }).innerText();
    const consequence = await confirm(finance, endAll, 'The bank sent the file of another shop.');
    expect(consequence).toContain('wrong as a whole');
    await says(finance, 'Ended: 2, still open: 0.');
    await says(finance, 'There are none.');
  });
}
