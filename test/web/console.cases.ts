import { readFileSync } from 'node:fs';
import { generate } from 'lean-qr';
import { toSvgPath } from 'lean-qr/extras/svg';
import type { Page } from 'playwright-core';
import { waitFor } from '../harness/engines';
import { planOf } from '../harness/installation';
import { createTicketKey, inAnHour, signTicket } from '../harness/ticket';
import { WebhookReceiver, answer } from '../harness/webhook-receiver';
import { seriousFaults } from './accessibility';
import { DESK, PHONE } from './chromium';
import { keyOf, loseFirstAnswer } from './requests';
import { confirm, fill, GOLDEN_POINT, openTab, press, says, signIn, type Stage, tells, value } from './stage';

const fact = (page: Page, name: string, value: string) =>
  page
    .locator('.facts div', { has: page.getByText(name, { exact: true }) })
    .getByText(value, { exact: true })
    .waitFor();

const POINT = Buffer.from(GOLDEN_POINT.split(',')[1]!, 'base64');

export function consoleCases(stage: Stage): void {
  it('lets an operator deposit, create with a preview, watch, top up and close; the sums agree at every step', async () => {
    const { page, complaints } = await stage.staff('/wallets/patron', 'operator');
    await press(page, 'New deposit');
    await fill(page, 'Amount', '30.00');
    await fill(page, 'Reference', 'bank-77');
    await confirm(page, 'Deposit');
    await says(page, 'Deposited. The balance is 30.00 CNY.');
    await says(page, 'bank-77');
    await press(page, 'New deposit');
    expect(await page.getByLabel('Amount', { exact: true }).inputValue()).toBe('');
    await press(page, 'Cancel');

    await press(page, 'Set budget');
    await fill(page, 'Daily budget for activities (UTC)', '500.00');
    await press(page, 'Save');
    await says(page, 'The budget is 500.00 CNY a day.');
    await fact(page, 'Daily budget for activities (UTC)', '500.00 CNY');
    await confirm(page, 'End budget');
    await page.getByRole('button', { name: 'End budget' }).waitFor({ state: 'detached' });
    expect((await stage.rain.operator().get('/v1/wallets/patron/budget')).body.perDay).toBeNull();

    await page.getByRole('link', { name: 'Activities' }).click();
    await page.getByRole('link', { name: 'New activity' }).click();
    await fill(page, 'Name', 'Team lunch');
    await fill(page, 'Sponsor', 'patron');
    await fill(page, 'Total amount', '20.00');
    await fill(page, 'Packets', '2');
    await fill(page, 'Smallest', '11.00');
    await says(page, '“Smallest” must be at most “Total amount” / “Packets”');
    await fill(page, 'Smallest', '1.00');
    await page.getByRole('img', { name: /How many of 2 packets/ }).waitFor();
    await fill(page, 'Opens', new Date(Date.now() - 86_400_000).toISOString().slice(0, 19));
    await confirm(page, 'Create and fund');
    await page.getByRole('heading', { name: 'Team lunch' }).waitFor();
    await says(page, 'The parts add up to what was funded: 20.00 CNY.');

    const id = page.url().split('/').at(-1)!;
    await stage.rain.user('ann').post(`/v1/activities/${id}/grabs`);
    await says(page, '1 of 2');
    await fact(page, 'Taps', '1');
    await page.getByRole('img', { name: 'Taps and wins per second, at most 1 taps' }).waitFor();
    await fact(page, 'Credited', '1');
    expect(await page.getByText('Oldest unpaid').count()).toBe(0);
    const { redPacketId } = (await stage.rain.user('ann').get(`/v1/activities/${id}/grabs/me`)).body;
    const proof = (await stage.rain.user('ann').get(`/v1/me/packets/${redPacketId}/proof`)).body;
    await openTab(page, 'Fairness');
    await fill(page, 'Proof of a packet', JSON.stringify({ ...proof, amount: '0.01' }));
    await press(page, 'Check');
    await says(page, 'This packet is not among those that were published.');
    await fill(page, 'Proof of a packet', JSON.stringify(proof));
    await press(page, 'Check');
    await says(page, 'this packet existed before the rain began');
    await openTab(page, 'Top up');
    await fill(page, 'Amount', '4.00');
    await page.getByLabel('Packets', { exact: true }).fill('4');
    await confirm(page, 'Add packets');
    await says(page, '4 packets of 4.00 CNY added.');
    await press(page, 'Add packets');
    await openTab(page, 'Overview');
    await says(page, '1 of 6');
    expect(await confirm(page, 'Close now')).toMatch(
      /Nobody can grab any more\. [\d.]+ CNY goes back to patron/,
    );
    await page.locator('.phase.settled').waitFor();
    await says(page, ', closed early');
    await says(page, 'The parts add up to what was funded: 24.00 CNY.');
    const { refunded } = await stage.rain.proof(id);
    await page.locator('.place.refunded', { hasText: String(refunded) }).waitFor();
    // The browser's own line about the refused split.
    expect(complaints).toEqual([expect.stringContaining('400')]);
  });

  it('keeps a warning of the pre-flight on the page after the opening, until its cause is gone', async () => {
    const sponsorId = 'keyless';
    const id = await stage.rain.createActivity({ admission: 'ticket', sponsorId, packetCount: 1 });
    const { page } = await stage.staff(`/activities/${id}`, 'operator');
    await page.locator('h1 .phase.open').waitFor();
    const warning = page.getByRole('region', { name: 'Pre-flight' });
    await warning.getByText('nobody could win').waitFor();
    expect(await warning.getByRole('listitem').count()).toBe(1);
    await createTicketKey(stage.rain, sponsorId);
    await warning.waitFor({ state: 'detached' });
  });

  it('shows the planned window of an activity that ended before it could open, and when it ended', async () => {
    const soon = { sponsorId: 'planner', opensInMs: 3_000_000, packetCount: 1 };
    const cancelled = await stage.rain.createActivity({ ...soon, name: 'Called off' });
    const closed = await stage.rain.createActivity({ ...soon, name: 'Closed ahead' });
    await stage.rain.operator().post(`/v1/activities/${cancelled}/cancel`);
    await stage.rain.operator().post(`/v1/activities/${closed}/close`);
    const { page } = await stage.staff('/activities?sponsor=planner', 'operator');
    await says(page, 'Called off');
    for (const row of await page.locator('tbody tr').all()) {
      const instants = row.locator('time');
      const [opens, closes] = [instants.nth(0), instants.nth(1)].map((at) => at.getAttribute('datetime'));
      expect(Date.parse((await closes)!)).toBeGreaterThan(Date.parse((await opens)!));
    }
    await page.getByRole('link', { name: 'Closed ahead' }).click();
    await says(page, /planned for .*, closed before it opened, /);
    await page.goto(`${stage.rain.url}/console/activities/${cancelled}`);
    await says(
      page,
      /^It was cancelled before it opened, so there were no wins\. .* went back to planner\.$/,
    );
    expect(await page.getByText('No wins yet').count()).toBe(0);
  });

  it('lists what is open before what is newer', async () => {
    const plan = { sponsorId: 'sorter', packetCount: 1 };
    await stage.rain.createActivity({ ...plan, name: 'Older and open' });
    await stage.rain.createActivity({ ...plan, name: 'Newer and ahead', opensInMs: 3_000_000 });
    const { page } = await stage.staff('/activities?sponsor=sorter', 'support');
    await page.getByRole('cell', { name: 'Newer and ahead' }).waitFor();
    expect(await page.locator('tbody td:first-child').allInnerTexts()).toEqual([
      'Older and open',
      'Newer and ahead',
    ]);
  });

  it('says that a webhook does not exist, and leads to those that do', async () => {
    const { page } = await stage.staff('/webhooks/999999', 'operator');
    await page.getByRole('heading', { name: 'There is no webhook 999999' }).waitFor();
    await page.getByRole('link', { name: 'Go to Webhooks' }).click();
    await page.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor();
  });

  it('lets an operator find a dead letter, remove its cause and replay it, which pays once', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1, totalAmount: '5.00' });
    await stage.rain.user('bob').post(`/v1/activities/${id}/grabs`);
    await stage.rain.settled(id);
    const { page, complaints } = await stage.staff('/wallets/bob', 'finance');
    await confirm(page, 'Freeze');
    await says(page, 'frozen');
    const second = await stage.rain.createActivity({ packetCount: 1, totalAmount: '7.00' });
    await stage.rain.user('bob').post(`/v1/activities/${second}/grabs`);
    await stage.rain.settled(second);
    await page.getByRole('link', { name: 'Dead letters' }).click();
    const row = page.getByRole('row', { name: /7\.00 CNY/ });
    await row.getByText('The wallet is frozen').waitFor();
    await page.getByRole('link', { name: 'bob' }).click();
    await page.getByRole('row', { name: /Won.*5\.00 CNY/ }).waitFor();
    await tells(page, /Frozen.*by finance/);
    await tells(page, /Could not be paid.*7.00 CNY.*The wallet is frozen/);
    await confirm(page, 'Unfreeze');
    await tells(page, /Unfrozen.*by finance/);
    await page.getByRole('link', { name: 'Dead letters' }).click();
    await fill(page, 'User', 'nobody');
    await says(page, 'There are none.');
    expect(await page.getByRole('button', { name: /^Replay/ }).count()).toBe(0);
    await fill(page, 'User', 'bob');
    await page.waitForURL(/user=bob/);
    await says(page, 'in 1 win that could not be paid');
    const consequence = await confirm(page, 'Replay 1');
    expect(consequence).toContain('Every open dead letter of bob is paid, each exactly once');
    await says(page, '1 dead letter sent on its way.');
    await stage.rain.settled(second);
    expect((await stage.rain.user('bob').get('/v1/me/wallet')).body.balance).toBe('12.00');
    expect(complaints).toEqual([]);
  });

  it('says after a replay that nothing was paid while the wallet is frozen, and otherwise that it was paid', async () => {
    await stage.deadLetterOf('cold', { totalAmount: '3.00' });
    const { page } = await stage.staff('/dead-letters?user=cold', 'finance');
    await press(page, 'Replay');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
    await dialog.getByText('Not paid: it is a dead letter again.').waitFor();
    expect(await page.getByText(/^Paid/).count()).toBe(0);
    await stage.rain.operator().post('/v1/wallets/cold/unfreeze');
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
    await says(page, 'Paid: 3.00 CNY to cold.');
    expect((await stage.rain.user('cold').get('/v1/me/wallet')).body.balance).toBe('3.00');
  });

  it('releases a held win from its row, and pays it', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1, totalAmount: '4.00' });
    await stage.rain.pauseWorker();
    await stage.rain.user('robot').post(`/v1/activities/${id}/grabs`);
    const [claim] = await stage.rain.sql<{ id: string }>(`select id from claim where activity_id = $1`, [id]);
    await stage.rain.operator().post(`/v1/claims/${claim!.id}/hold`, { reason: 'A robot?' });
    stage.rain.resumeWorker();
    const { page } = await stage.staff('/dead-letters?user=robot', 'finance');
    await confirm(page, 'Release');
    await says(page, 'Paid: 4.00 CNY to robot.');
  });

  it('does nothing when Enter is pressed twice on an irreversible action, and asks for the name of the activity that it ends', async () => {
    const id = await stage.rain.createActivity({ name: 'Kept open', packetCount: 1, totalAmount: '1.00' });
    const { page } = await stage.staff(`/activities/${id}`, 'operator');
    const button = page.getByRole('button', { name: 'Close now' });
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Type "Kept open" to confirm').fill('Kept');
    await page.keyboard.press('Enter');
    expect(await dialog.isVisible()).toBe(true);
    expect((await stage.rain.operator().get(`/v1/activities/${id}`)).body.phase).toBe('open');
    await dialog.getByLabel('Type "Kept open" to confirm').fill('Kept open');
    await page.keyboard.press('Enter');
    await page.locator('.phase.settled').waitFor();
  });

  it('replays the selected dead letters, a few at a time, and shows the outcome of each', async () => {
    const users = Array.from({ length: 6 }, (_, i) => `chosen-${i}`);
    const id = await stage.rain.createActivity({ packetCount: 7, totalAmount: '14.00' });
    for (const user of [...users, 'spared']) {
      await stage.rain.operator().post(`/v1/wallets/${user}/freeze`);
      await stage.rain.user(user).post(`/v1/activities/${id}/grabs`);
    }
    await stage.rain.settled(id);
    const { page } = await stage.staff(`/dead-letters?activity=${id}`, 'finance');
    await page.getByLabel('Choose all that are loaded').check();
    await page
      .getByRole('row', { name: /spared/ })
      .getByRole('checkbox')
      .uncheck();
    for (const user of users) await stage.rain.operator().post(`/v1/wallets/${user}/unfreeze`);
    // Another person is faster with one of them.
    const { body } = await stage.rain.operator().get(`/v1/dead-letters?userId=${users[0]}`);
    await stage.rain.operator().post(`/v1/dead-letters/${body.items[0].id}/replay`);
    let [underway, most] = [0, 0];
    await page.route('**/replay', async (route) => {
      most = Math.max(most, ++underway);
      const response = await route.fetch();
      underway--;
      return route.fulfill({ response });
    });
    await confirm(page, 'Replay (6)');
    await says(page, 'Replay: 5 done, 1 left.');
    expect(most).toBeLessThanOrEqual(4);
    const results = page.locator('.results li');
    expect(await results.filter({ hasText: 'Done' }).count()).toBe(5);
    await results.filter({ hasText: new RegExp(`${users[0]}.*Refused\\. .*replayed already`) }).waitFor();
    await page.getByRole('row', { name: /spared/ }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await stage.rain.settled(id);
    for (const user of users)
      expect(Number((await stage.rain.user(user).get('/v1/me/wallet')).body.balance)).toBeGreaterThan(0);
    expect((await stage.rain.proof(id)).claims).toMatchObject({ credited: 6, dead: 1 });
  });

  it('repeats the action on a selected row under the same key if its answer was lost', async () => {
    const id = await stage.deadLetterOf('unheard', { totalAmount: '2.00' });
    const { page } = await stage.staff(`/dead-letters?activity=${id}`, 'finance');
    const keys = await loseFirstAnswer(page, '**/resolve', keyOf);
    // The letter stays listed, so that its action can be repeated.
    const { body } = await stage.rain.operator().get(`/v1/dead-letters?activityId=${id}`);
    await page.route('**/v1/dead-letters?**', (route) => route.fulfill({ json: body }));
    await page.getByLabel('Choose all that are loaded').check();
    await confirm(page, 'Resolve (1)', 'Looked at');
    await says(page, 'Resolve: 0 done, 1 left.');
    await confirm(page, 'Resolve (1)', 'Looked at');
    await says(page, 'Resolve: 1 done, 0 left.');
    expect(keys[1]).toBe(keys[0]);
  });

  it('makes a large deposit wait for a second person', async () => {
    const { page } = await stage.staff('/wallets/tycoon', 'finance', { sub: 'fin-1' });
    await press(page, 'New deposit');
    await fill(page, 'Amount', '5000.00');
    await fill(page, 'Reference', 'bank-5000');
    await confirm(page, 'Deposit');
    await says(page, 'Nothing has changed yet: another person has to approve it.');
    const { page: second } = await stage.staff('/approvals', 'finance', { sub: 'fin-2' });
    const row = second.getByRole('row', { name: /tycoon.*Reference: bank-5000/ });
    await row.waitFor();
    const isCounted = async () => {
      const { approvals } = (await stage.rain.operator().get('/v1/overview')).body.money;
      return (await second.getByTitle('Pending approvals').innerText()) === String(approvals);
    };
    await waitFor(isCounted, { what: 'the count of pending approvals' });
    expect(await confirm(row, 'Approve')).toContain('Reference: bank-5000');
    await row.waitFor({ state: 'detached' });
    const notice = second.getByRole('status').filter({ hasText: 'Approved. Deposit: 5000.00 CNY' });
    expect(await seriousFaults(second)).toEqual([]);
    await notice.getByRole('link', { name: 'See the result' }).click();
    await second.getByRole('heading', { name: 'Wallet of tycoon' }).waitFor();
    await second.getByRole('row', { name: /bank-5000/ }).waitFor();
    await notice.getByRole('button', { name: 'Dismiss' }).click();
    await notice.waitFor({ state: 'detached' });
  });

  it('shows all terms of a new activity to the person who approves it', async () => {
    const { rain } = stage;
    const channelId = await stage.createChannel('Bank');
    const plan = planOf({
      name: 'Large',
      sponsorId: 'magnate',
      totalAmount: '2000.00',
      packetCount: 20,
      admission: 'ticket',
      split: { kind: 'random', min: '10.00' },
      limits: { perUserPerDay: 2, perUser: 5 },
      pace: { kind: 'even' },
      payout: { channelId },
    });
    expect((await rain.operator('asker').post('/v1/activities', plan)).status).toBe(202);
    const { page } = await stage.staff('/approvals', 'finance', { sub: 'fin-3' });
    const row = page.getByRole('row', { name: /wallet:magnate/ });
    await row.getByRole('button', { name: 'Approve' }).click();
    const terms = page.getByRole('dialog').locator('.facts');
    await terms.getByText('Bank').waitFor();
    const closesAt = await terms
      .locator('div', { hasText: /^Closes/ })
      .locator('time')
      .innerText();
    expect(
      (await terms.locator('div').allInnerTexts()).map((text) => text.replace(/\s*\n\s*/, ': ')),
    ).toEqual(
      expect.arrayContaining([
        ...['Name: Large', 'Sponsor: magnate', 'Total amount: 2,000.00', 'Packets: 20'],
        ...['Split: Random', 'Smallest: 10.00', 'Ticket from the sponsor: Required to tap'],
        ...['Daily limit per user: 2, days begin in UTC', 'Lifetime limit per user: 5'],
        ...['Group of rains: default', `Packets are released: Evenly, all by ${closesAt}`],
        'Wins are paid out through: Bank',
      ]),
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel', exact: true }).click();
    await row.getByRole('button', { name: 'Reject' }).click();
    await fill(page, 'Type "magnate" to confirm', 'magnate');
    await fill(page, 'Why it is rejected', 'Not this month.');
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    await row.waitFor({ state: 'detached' });
  });

  it('repeats a deposit under the same key if its answer was lost, so that it is made once', async () => {
    const { page } = await stage.staff('/wallets/once', 'finance');
    await loseFirstAnswer(page, '**/deposits', keyOf);
    await press(page, 'New deposit');
    await fill(page, 'Amount', '3.00');
    await confirm(page, 'Deposit');
    await says(page, 'The API does not answer.');
    await confirm(page, 'Deposit');
    await says(page, 'Deposited. The balance is 3.00 CNY.');
    expect((await stage.rain.operator().get('/v1/wallets/once')).body.balance).toBe('3.00');
  });

  it('books no deposit before its review is confirmed; a new owner and a large sum have to be typed again', async () => {
    const { page } = await stage.staff('/wallets/newcomer', 'finance');
    await says(page, 'There is no CNY wallet of newcomer yet.');
    const review = page.getByRole('dialog', { name: 'Deposit', exact: true });
    await press(page, 'New deposit');
    await fill(page, 'Amount', '12345678.90');
    await press(page, 'Deposit');
    await review.getByText(/^12,345,678\.90 Chinese yuan \(12\.35 million\) is brought into/).waitFor();
    await review.getByText('newcomer has no wallet yet. Is the name right?').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    const deposit = review.getByRole('button', { name: 'Deposit' });
    await page.keyboard.press('Enter');
    await fill(page, 'Type "newcomer" to confirm', 'newcomer');
    await fill(page, 'Type "12345678.90" to confirm', '1234567.89');
    await page.keyboard.press('Enter');
    expect(await deposit.getAttribute('aria-disabled')).toBe('true');
    await fill(page, 'Type "12345678.90" to confirm', '12345678.90');
    await fill(page, 'Type "newcomer" to confirm', 'newcomers');
    expect(await deposit.getAttribute('aria-disabled')).toBe('true');
    await review.getByRole('button', { name: 'Cancel' }).click();
    await review.waitFor({ state: 'detached' });
    expect((await stage.rain.operator().get('/v1/wallets/newcomer')).body.createdAt).toBeNull();

    await fill(page, 'Amount', '1.00');
    await press(page, 'Deposit');
    await fill(page, 'Type "newcomer" to confirm', 'newcomer');
    expect(await review.getByRole('textbox').count()).toBe(1);
    await deposit.click();
    await says(page, 'Deposited. The balance is 1.00 CNY.');
    await page.locator('h1 .phase').getByText('Active').waitFor();

    await press(page, 'New deposit');
    await fill(page, 'Amount', '2.00');
    await press(page, 'Deposit');
    await review.getByText('Deposit, 1.00 CNY').waitFor();
    expect(await review.getByRole('textbox').count()).toBe(0);
    for (const key of ['Enter', 'Enter']) await page.keyboard.press(key);
    expect((await stage.rain.operator().get('/v1/wallets/newcomer')).body.balance).toBe('1.00');
  });

  it('warns of equal deposits, rains, top-ups and requests of the last day before it books another', async () => {
    const { rain } = stage;
    const asker = rain.as('finance', 'fin-7');
    const { body: first } = await asker.post('/v1/wallets/again/deposits', { amount: '30.00' });
    const { body: taken } = await asker.post('/v1/wallets/again/deposits', { amount: '30.00' });
    const { body: wish } = await asker.post('/v1/wallets/again/deposits', { amount: '3000.00' });
    const { body: asked } = await asker.post(`/v1/deposits/${taken.transferId}/reverse`, {
      reason: 'Twice.',
    });
    await rain.as('finance', 'fin-8').post(`/v1/approvals/${asked.id}/approve`);
    const { page } = await stage.staff('/wallets/again', 'operator');
    const warningsFor = async (amount: string, button: string, field = 'Amount') => {
      const review = page.getByRole('dialog', { name: button, exact: true });
      await fill(page, field, amount);
      await press(page, button);
      await review.waitFor();
      const found = await review.locator('.warning').allInnerTexts();
      await review.getByRole('button', { name: 'Cancel' }).click();
      await review.waitFor({ state: 'detached' });
      return found;
    };
    await press(page, 'New deposit');
    expect(await warningsFor('30.01', 'Deposit')).toEqual([]);
    expect(await warningsFor('30', 'Deposit')).toEqual([
      expect.stringMatching(
        new RegExp(`^Already deposited within a day: 30\\.00 CNY, .*, as transfer ${first.transferId}\\.$`),
      ),
    ]);
    expect(await warningsFor('3000.00', 'Deposit')).toEqual([
      expect.stringMatching(
        new RegExp(`^Already requested: 3000\\.00 CNY, by fin-7, .* waits for approval ${wish.id}\\.$`),
      ),
    ]);

    const id = await rain.createActivity({ sponsorId: 'again', totalAmount: '20.00', packetCount: 2 });
    await rain
      .operator()
      .post(`/v1/activities/${id}/top-ups`, {
        ...{ amount: '4.00', packetCount: 2, split: { kind: 'equal' } },
      });
    const again = `for activity ${id}.`;
    await page.goto(`${rain.url}/console/activities/${id}/top-up`);
    await page.getByLabel('Packets', { exact: true }).fill('2');
    expect(await warningsFor('4.00', 'Add packets')).toEqual([expect.stringContaining(again)]);
    await page.goto(`${rain.url}/console/activities/new?like=${id}`);
    await page.getByRole('img').first().waitFor();
    expect(await warningsFor('20.00', 'Create and fund', 'Total amount')).toEqual([
      expect.stringContaining(again),
    ]);
    const { page: theirs } = await stage.staff(`/activities/new?like=${id}`, 'campaign');
    await theirs.getByRole('img').first().waitFor();
    // Its total has grown by the top-up.
    await fill(theirs, 'Total amount', '24.00');
    await press(theirs, 'Create and fund');
    await theirs.getByRole('dialog').getByText(`already has activity ${id}`).waitFor();
    await rain.operator().post(`/v1/approvals/${wish.id}/reject`);
  });

  it('reverses a deposit once a second person approves it, and offers that only once', async () => {
    const { rain } = stage;
    const { body: deposit } = await rain
      .as('finance')
      .post('/v1/wallets/undone/deposits', { amount: '70.00' });
    const { page } = await stage.staff('/wallets/undone', 'finance', { sub: 'fin-9' });
    const row = page.getByRole('row', { name: new RegExp(`^${deposit.transferId} `) });
    await row.getByRole('button', { name: 'Reverse' }).waitFor();
    expect(await confirm(page, 'Reverse', 'Deposited twice.')).toContain(
      `Deposit ${deposit.transferId} of 70.00 CNY is taken back out of the wallet of undone`,
    );
    await says(page, 'another person has to approve the reversal');
    await row.getByText(/^waits for approval \d+$/).waitFor();
    await fact(page, 'Balance', '70.00 CNY');

    const { page: second } = await stage.staff('/approvals', 'finance', { sub: 'fin-10' });
    const request = second.getByRole('row', { name: /Reverse deposit.*undone.*Deposited twice/ });
    expect(await confirm(request, 'Approve')).toContain(
      `Deposit ${deposit.transferId}. Reason: Deposited twice.`,
    );
    await second.getByRole('link', { name: 'See the result' }).click();
    await second.getByRole('heading', { name: 'Wallet of undone' }).waitFor();
    await fact(second, 'Balance', '0.00 CNY');
    await second
      .getByRole('row', { name: new RegExp(`Reversal.*of deposit ${deposit.transferId}`) })
      .waitFor();
    await second.getByText(/^reversed by transfer \d+$/).waitFor();
    expect(await second.getByRole('button', { name: 'Reverse' }).count()).toBe(0);
    expect(await seriousFaults(second)).toEqual([]);
  });

  it('sorts a table as its URL says, so that a link shows everyone the same table', async () => {
    const names = ['Alpha', 'Beta'].map((name) => `Sorted ${name}`);
    for (const name of names) await stage.rain.createActivity({ name, sponsorId: 'sorter' });
    await stage.rain.createActivity({ name: 'Not of these', sponsorId: 'sorter' });
    const { page } = await stage.staff('/activities?sponsor=sorter&sort=name', 'operator');
    await fill(page, 'Name', 'sorted');
    await page.getByText('Not of these').waitFor({ state: 'detached' });
    const shown = () => page.locator('tbody td:first-child a').allInnerTexts();
    await says(page, 'Sorted Alpha');
    expect(await shown()).toEqual(names);
    await press(page, 'Name');
    expect(await shown()).toEqual([...names].reverse());
    expect(page.url()).toContain('sort=-name');
  });

  it('says that it sorts only the loaded rows while there are more', async () => {
    const deposits = Array.from({ length: 51 }, () =>
      stage.rain.operator().post('/v1/wallets/many/deposits', { amount: '1.00' }),
    );
    await Promise.all(deposits);
    const { page } = await stage.staff('/wallets/many?sort=-amount', 'operator');
    const note = page.getByText('Only the 50 rows that are loaded are sorted. There are more.');
    await note.waitFor();
    await press(page, 'Show more');
    await note.waitFor({ state: 'detached' });
  });

  it('downloads exports as files', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1, totalAmount: '1.00' });
    await stage.rain.user('csv').post(`/v1/activities/${id}/grabs`);
    const { page } = await stage.staff(`/activities/${id}`, 'support');
    const downloading = page.waitForEvent('download');
    await press(page, 'Claims as CSV');
    await says(page, 'Claims downloaded.');
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`activity-${id}-claims.csv`);
    expect(readFileSync(await download.path(), 'utf8')).toContain(',csv,1.00,');
  });

  it('downloads the statement of a wallet for a day, and says if the day is not over', async () => {
    await stage.rain.operator().post('/v1/wallets/daily/deposits', { amount: '4.00' });
    await stage.rain.sql(
      `update account set created_at = now() - interval '2 days' where owner_id = 'daily'`,
    );
    const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    const { page } = await stage.staff('/wallets/daily', 'support');
    await press(page, 'Statement of a day');
    await page.getByLabel('Day (UTC)').fill(dayAgo(0));
    await press(page, 'Download the statement');
    await says(page, 'The day is not over');
    await page.getByLabel('Day (UTC)').fill(dayAgo(1));
    const downloading = page.waitForEvent('download');
    await press(page, 'Download the statement');
    await says(page, `The statement of ${dayAgo(1)} was downloaded.`);
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`statement-${dayAgo(1)}.csv`);
    expect(readFileSync(await download.path(), 'utf8')).toContain(',closing,0.00,CNY,');
  });

  it('creates a rain like an earlier one, and cancels it before it opens', async () => {
    const split = { kind: 'tiers', tiers: [{ amount: '3.00', count: 2 }] };
    const channelId = await stage.createChannel('Balances', { smallest: '0.01' });
    const plan = {
      name: 'Two of three',
      sponsorId: 'giver',
      totalAmount: '6.00',
      packetCount: 2,
      split,
      admission: 'ticket' as const,
      limits: { perUserPerDay: 2, perUser: 5, group: 'spring', timeZone: 'Asia/Shanghai' },
      payout: { channelId },
      theme: { greeting: 'Happy New Year!' },
    };
    const id = await stage.rain.createActivity(plan);
    await stage.rain.operator().post('/v1/wallets/giver/deposits', { amount: '6.00' });
    const { page, complaints } = await stage.staff(`/activities/${id}`, 'campaign');
    await page.getByRole('link', { name: 'Another one like this' }).click();
    await page.getByRole('img', { name: 'from 3.00 to 3.00' }).waitFor();
    expect(await page.getByLabel('Tiers').inputValue()).toBe('3.00 2');
    expect(await page.getByLabel('Wins are paid out through').inputValue()).toBe(channelId);
    expect(await page.getByLabel('Greeting').inputValue()).toBe('Happy New Year!');
    await page.getByLabel('Wins are paid out through').selectOption('');
    await fill(page, 'Daily limit per user', '0');
    await fill(page, 'Lifetime limit per user', '4');
    await confirm(page, 'Create and fund');
    await says(page, '“Daily limit per user” must be');
    await fill(page, 'Daily limit per user', '3');
    // The refund is known before the proof, which sums over all packets and may take long.
    await page.route('**/reconciliation', () => undefined);
    await confirm(page, 'Create and fund');
    await page.locator('.phase.scheduled').waitFor();
    await fact(page, 'Ticket from the sponsor', 'Required to tap');
    await fact(page, 'Daily limit per user', '3, days begin in Asia/Shanghai');
    await fact(page, 'Lifetime limit per user', '4');
    await fact(page, 'Group of rains', 'spring');
    await fact(page, 'Wins are paid out through', 'None: kept in wallets');
    expect(await confirm(page, 'Cancel the rain')).toContain('6.00 CNY goes back to giver');
    await says(page, ', cancelled ');
    // The browser's own line about the refused limit.
    expect(complaints).toEqual([expect.stringContaining('400')]);
  });

  it('shows before the opening, in both languages, what would stop a rain, and no longer once it is open', async () => {
    const { rain } = stage;
    const id = await rain.createActivity({
      opensInMs: 600_000,
      admission: 'ticket',
      sponsorId: 'never-keyed',
    });
    const { page, complaints } = await stage.staff(`/activities/${id}`, 'operator');
    const preflight = page.getByRole('region', { name: 'Pre-flight' });
    await preflight.getByText('It will open on time all the same.').waitFor();
    const lines = await preflight.getByRole('listitem').allInnerTexts();
    expect(lines.length).toBe(7);
    expect(lines[0]).toMatch(/✕\s*Tickets\s*The sponsor has no key that signs them: nobody could win\./);
    expect(lines.join()).toMatch(/✓\s*Books\s*They agree; the escrow holds 100\.00 CNY\./);
    expect(await seriousFaults(page)).toEqual([]);
    await press(page, '中文');
    await says(page, '发起方没有签发入场券的密钥，无人能够抢到。');
    await page.goto(`${rain.url}/console/activities/${await rain.createActivity()}`);
    await says(page, '各部分之和等于注资金额');
    expect(await page.getByRole('region', { name: '开场前检查' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('changes the look of a rain, and says which colour is unreadable', async () => {
    const id = await stage.rain.createActivity({ theme: { sender: 'Acme' } });
    const { page } = await stage.staff(`/activities/${id}/players`, 'campaign');
    await fill(page, 'Background colour', '#ffffff');
    await fill(page, 'Text colour', '#999999');
    await fill(page, 'Accent colour', '#9a0012');
    await page.getByLabel('Logo').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: POINT });
    await press(page, 'Change the look');
    await says(page, '“Text colour” must have a contrast of at least 4.5:1 with “Background colour”');
    await fill(page, 'Text colour', '#111111');
    await press(page, 'Change the look');
    await says(page, 'The look is changed.');
    const { theme, logo } = (await stage.rain.operator().get(`/v1/activities/${id}`)).body;
    const colors = { background: '#ffffff', foreground: '#111111', accent: '#9a0012' };
    expect([theme, logo]).toEqual([{ sender: 'Acme', colors }, `/v1/activities/${id}/logo`]);
  });

  it('shows the link, its QR code and a live preview of the page for players next to the fields for its look', async () => {
    const id = await stage.rain.createActivity({ name: 'Lantern rain' });
    const { page, complaints, traffic } = await stage.staff(`/activities/${id}/players`, 'campaign');
    const section = page.getByRole('region', { name: 'The page for players' });
    const code = section.getByRole('img', { name: 'QR code of the link' }).locator('path');
    const codeOf = (link: string) => toSvgPath(generate(link));
    await section.getByRole('link', { name: `${stage.rain.url}/rain/${id}` }).waitFor();
    await section.getByRole('link', { name: 'Save as SVG' }).waitFor();
    expect(await code.getAttribute('d')).toBe(codeOf(`${stage.rain.url}/rain/${id}`));
    await fill(page, 'Address for players', 'https://play.example/');
    await section.getByRole('link', { name: `https://play.example/rain/${id}` }).waitFor();
    expect(await code.getAttribute('d')).toBe(codeOf(`https://play.example/rain/${id}`));

    const frame = section.frameLocator('iframe');
    await frame.getByText("It's raining red packets.").waitFor();
    expect(await frame.locator('h1').innerText()).toBe('Lantern rain');
    await fill(page, 'From', 'Acme');
    await frame.getByText('Acme').waitFor();
    await page.getByLabel('Logo').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: POINT });
    await frame.locator('.blessing img').waitFor();
    await press(page, 'Won');
    await frame.getByText('¥8.88').last().waitFor();
    expect(traffic.filter((line) => /\/v1\/(me\/(?!approvals)|clock|rain)/.test(line))).toEqual([]);
    expect((await stage.rain.operator().get(`/v1/activities/${id}`)).body).toMatchObject({ theme: null });
    expect(complaints).toEqual([]);
  });

  it('shows the contrast of each colour with the background before it is saved, and the colour in the preview', async () => {
    const id = await stage.rain.createActivity();
    const { page } = await stage.staff(`/activities/${id}/players`, 'campaign');
    const isWhite = async () =>
      (await page.frames()[1]!.evaluate('getComputedStyle(document.body).backgroundColor')) ===
      'rgb(255, 255, 255)';
    await page.getByLabel('Pick: Background colour').fill('#ffffff');
    expect([await value(page, 'Text colour'), await value(page, 'Accent colour')]).toEqual([
      '#fff6e0',
      '#ffd970',
    ]);
    await says(page, '1.07:1 on the background: too weak, 4.5:1 is needed');
    await fill(page, 'Text colour', '#777777');
    await says(page, '4.47:1 on the background: too weak');
    await fill(page, 'Text colour', '#767676');
    await says(page, '4.54:1 on the background: readable');
    await waitFor(isWhite, { what: 'the colour in the preview' });
    await press(page, 'Use our colours');
    await waitFor(async () => !(await isWhite()), { what: 'our colours in the preview' });
    expect(await value(page, 'Background colour')).toBe('');
  });

  it('shows who is waiting, and how many packets each rain has left', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1, totalAmount: '1.00', sponsorId: 'scarce' });
    await stage.rain.user('won').post(`/v1/activities/${id}/grabs`);
    for (const user of ['late', 'later']) await stage.rain.user(user).post(`/v1/activities/${id}/waitlist`);
    const { page } = await stage.staff('/activities?sponsor=scarce', 'support');
    await page.getByRole('cell', { name: '0 of 1 left' }).waitFor();
    await page.getByRole('link', { name: 'Rain' }).click();
    const waiting = page.getByRole('region', { name: 'Waiting list' });
    await waiting.getByRole('link', { name: 'later' }).waitFor();
    expect(await waiting.getByRole('link').allInnerTexts()).toEqual(['late', 'later']);
  });

  it('says what voiding a dead letter will do, does so with a reason, and shows it in the audit log', async () => {
    await stage.deadLetterOf('vera', { totalAmount: '8.00', sponsorId: 'host' });
    const { page } = await stage.staff(`/dead-letters?user=vera`, 'finance');
    const consequence = await confirm(page, 'Void', 'A robot');
    expect(consequence).toContain('vera is never paid');
    await says(page, 'There are none.');
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('row', { name: /Declare void.*A robot/ }).waitFor();
  });

  it('leads from a rain without a ticket key to the keys of its sponsor, creates one that signs tickets, and deletes it', async () => {
    const { rain } = stage;
    const id = await rain.createActivity({
      admission: 'ticket',
      sponsorId: 'ticketer',
      opensInMs: 3_000_000,
    });
    const { page, complaints } = await stage.staff(`/activities/${id}`, 'campaign');
    await says(page, 'The sponsor has no key that signs them: nobody could win.');
    await page.getByRole('link', { name: 'Ticket keys of the sponsor' }).click();
    await says(page, 'This sponsor has no key');
    const help = page.getByRole('link', { name: 'How an app signs a ticket' });
    expect(await help.getAttribute('href')).toBe(`${rain.url}/docs#/tickets/createTicketKey`);
    expect(await confirm(page, 'Create a key')).toContain('all rains of ticketer');
    const secret = await page.locator('[role=status] code').innerText();
    const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'Delete' }) });
    await row.waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    const open = await rain.createActivity({ admission: 'ticket', sponsorId: 'ticketer' });
    const ticket = signTicket(secret, { activity: open, sub: 'guest', exp: inAnHour() });
    const won = () =>
      rain.user('guest').post(`/v1/activities/${open}/grabs`, undefined, { headers: { ticket } });
    await waitFor(async () => (await won()).body.code === '0', { what: 'the ticket to be accepted' });
    await page.goBack();
    await says(page, 'The sponsor has a key that signs them.');
    await page.getByRole('link', { name: 'Ticket keys', exact: true }).click();
    // Both rains require tickets.
    await page.getByRole('row', { name: /ticketer 2/ }).waitFor();
    await fill(page, 'Sponsor', 'ticketer');
    await press(page, 'Show keys');
    await row.waitFor();
    await confirm(page, 'Delete');
    await says(page, 'This sponsor has no key');
    expect(complaints).toEqual([]);
    const { page: other } = await stage.staff('/activities', 'finance');
    await other.getByRole('link', { name: 'Activities', exact: true }).waitFor();
    expect(await other.getByRole('link', { name: 'Ticket keys' }).count()).toBe(0);
  });

  it('registers a webhook, shows its secret once, sends a test message and shows its delivery', async () => {
    const receiver = await WebhookReceiver.start();
    const { page, complaints } = await stage.staff('/webhooks', 'operator');
    await press(page, 'New webhook');
    await fill(page, 'URL', `${receiver.url}/console`);
    await press(page, 'Register');
    await says(page, /^whsec_/);
    await press(page, 'I have saved it');
    expect(await page.getByText(/^whsec_/).count()).toBe(0);
    const link = page.getByRole('link', { name: `${receiver.url}/console` });
    await link.click();
    receiver.let('/console', answer(500));
    await confirm(page, 'Send a test');
    await page.getByRole('row', { name: /webhook\.test.*Retrying.*answered 500/ }).waitFor();
    receiver.let('/console', answer(204));
    await confirm(page, 'Send a test');
    // The earlier message is retried in the meantime, and may be delivered as well.
    await page
      .getByRole('row', { name: /webhook\.test.*Delivered/ })
      .first()
      .waitFor();
    // The page polls the deliveries, and would hear that the webhook does not exist.
    const deleted = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await page.route('**/deliveries', async (route) => {
      await deleted;
      await route.continue();
    });
    const look = await page.waitForRequest('**/deliveries');
    await page.route('**/v1/webhooks', async (route) => {
      await look.response();
      await route.continue();
    });
    await confirm(page, 'Delete');
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    await link.waitFor({ state: 'detached' });
    await receiver.stop();
    expect(complaints).toEqual([]);
  });

  it('opens the queues read-only to staff who are signed in, and to nobody else', async () => {
    const { page, complaints } = await stage.staff('/activities', 'support');
    await press(page, 'Queues');
    await page.getByText('settlement').first().waitFor();
    // Bull Board has the colours of the console.
    const colors = `['--primary', '--background'].map((name) =>
      getComputedStyle(document.documentElement).getPropertyValue(name))`;
    expect(['#a3111b,#f8f5f0', '#ffb3a8,#181312']).toContain(String(await page.evaluate(colors)));
    expect(complaints).toEqual([]);
    const { rain } = stage;
    const cookie = (await page.context().cookies())[0]!;
    expect(cookie).toMatchObject({ path: '/queues', httpOnly: true, sameSite: 'Strict' });
    const headers = { cookie: `${cookie.name}=${cookie.value}` };
    const pausing = await fetch(`${rain.url}/queues/api/queues/settlement/pause`, { method: 'PUT', headers });
    expect(pausing.status).toBe(404);
    expect((await fetch(`${rain.url}/queues`)).status).toBe(401);
    expect((await fetch(`${rain.url}/queues/api/queues`)).status).toBe(401);
    const sent = { method: 'POST', headers: { authorization: `Bearer ${rain.tokenOf('u1')}` } };
    expect((await fetch(`${rain.url}/queues/session`, sent)).status).toBe(403);
  });

  it('says that the part after the sign-in did not load, and loads it again on demand', async () => {
    const { page } = await stage.visitor({ viewport: DESK });
    await page.route('**/assets/desk-*', (route) => route.abort());
    await page.goto(`${stage.rain.url}/console/audit`);
    await signIn(page, stage.rain.tokenOf('op', 'operator'));
    await page.getByRole('alert').filter({ hasText: 'Part of this page did not load.' }).waitFor();
    await page.unroute('**/assets/desk-*');
    await press(page, 'Reload');
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
  });

  it('says that the texts of the other language did not load, and stays in the current one', async () => {
    const { page } = await stage.staff('/wallets', 'operator');
    await says(page, 'Sign out');
    await page.route('**/assets/zh-*', (route) => route.abort());
    await press(page, '中文');
    await page.getByRole('alert').filter({ hasText: 'Part of this page did not load.' }).waitFor();
    await says(page, 'Sign out');
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
  });

  it('says in a sentence of the chosen language what the API refuses, even while an engine is down', async () => {
    const { page } = await stage.staff('/wallets/broke', 'operator');
    await press(page, 'New deposit');
    await fill(page, 'Amount', 'ten');
    await press(page, 'Deposit');
    await says(page, /“Amount” must be/);
    await press(page, 'Cancel');
    await press(page, '中文');
    await press(page, '新建充值');
    await says(page, '填写有误：“金额”须为大于零的金额');
    expect(await page.getByLabel('金额').inputValue()).toBe('ten');
    process.kill(stage.rain.redisEngine.pid, 'SIGSTOP');
    try {
      await page.goto(`${stage.rain.url}/console/activities/999`);
      await says(page, '没有这个活动');
      await press(page, 'English');
      await says(page, /There is no activity 999/);
    } finally {
      process.kill(stage.rain.redisEngine.pid, 'SIGCONT');
    }
  });

  it('keeps its header to one row on a phone, with a menu of its parts that closes after a choice', async () => {
    const { page } = await stage.staff('/audit', 'operator', { viewport: PHONE });
    for (const [menu, part, other] of [
      ['Menu', 'Webhooks', '中文'],
      ['菜单', '钱包', 'English'],
    ] as const) {
      const button = page.getByRole('button', { name: menu });
      await button.waitFor();
      expect((await page.locator('header').boundingBox())!.height).toBeLessThan(64);
      const link = page.locator('header').getByRole('link', { name: part });
      expect(await link.isVisible()).toBe(false);
      await button.click();
      expect(await seriousFaults(page)).toEqual([]);
      await link.click();
      await page.getByRole('heading', { name: part, level: 1 }).waitFor();
      await link.waitFor({ state: 'hidden' });
      await button.click();
      await press(page, other);
    }
  });

  it('shows its lists without scrolling sideways on a phone and on a small laptop, and cuts off no cell on the phone', async () => {
    const { rain } = stage;
    await rain.createActivity({ name: 'A rain with a name longer than its column', sponsorId: 'lister' });
    const wish = { amount: '5000.00', reference: 'A reference that takes more than one line of a table' };
    const { body: asked } = await rain.as('finance', 'fin-5').post('/v1/wallets/lister/deposits', wish);
    const small = { amount: '1.00', reference: 'Bank transfer 2026-77 of the sponsor' };
    await rain.operator().post('/v1/wallets/lister/deposits', small);
    const channelId = await stage.createChannel('A channel with a name');
    await stage.handInAWrongFile(channelId);
    const { page } = await stage.staff('/approvals', 'finance');
    const [tooWide, cutOff] = [[] as string[], [] as string[]];
    const findings = `payouts/findings?channel=${channelId}`;
    for (const list of [
      ...['approvals', 'activities?sponsor=lister', 'audit?actor=fin-5'],
      ...['wallets/lister', 'payouts/channels', findings],
    ])
      for (const viewport of [PHONE, { width: 1280, height: 800 }]) {
        await page.setViewportSize(viewport);
        await page.goto(`${rain.url}/console/${list}`);
        const table = page.locator('.scroll');
        await table.waitFor();
        if (await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth))
          tooWide.push(`${list} at ${viewport.width}`);
        if (viewport !== PHONE) continue;
        const cells = await table
          .locator('td')
          .evaluateAll((all) =>
            all.filter((td) => td.scrollWidth > td.clientWidth + 1).map((td) => td.textContent),
          );
        cutOff.push(...cells.map((text) => `${list}: ${text}`));
      }
    expect([tooWide, cutOff]).toEqual([[], []]);
    await rain.operator().post(`/v1/approvals/${asked.id}/reject`);
  });
}
