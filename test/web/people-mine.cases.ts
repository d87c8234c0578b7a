import { waitFor } from '../harness/engines';
import { seriousFaults } from './accessibility';
import { fill, forbidWebSockets, press, says, type Stage } from './stage';

const LONG_ID = 'member-3f2504e0-4f89-41d3-9a0c-0305e82c3301';

export function peopleMineCases(stage: Stage): void {
  interface Given {
    readonly id: string;
    readonly redPacketId: string;
  }

  /** Sends a packet to one person, who opens it. */
  async function open(sender: string, winner: string, terms: object = {}): Promise<Given> {
    const audience = { kind: 'people', userIds: [winner] };
    const body = { name: 'For you', totalAmount: '1.00', packetCount: 1, audience, ...terms };
    let id = '';
    const isCreated = async () => {
      const answer = await stage.rain.user(sender).post('/v1/activities', body);
      ({ id } = answer.body as { id: string });
      return answer.status === 201;
    };
    await waitFor(isCreated, { what: 'an activity: a user may create only a few per second' });
    const { redPacketId } = (await stage.rain.user(winner).post(`/v1/activities/${id}/grabs`)).body as Given;
    return { id, redPacketId };
  }

  it('shows more of a long list, and moves the focus to the first of the added packets', async () => {
    await stage.give('una', '30.00');
    for (let no = 1; no <= 21; no++) await open('una', 'vic', { name: `Packet ${no}` });
    const { page, complaints } = await stage.visit('/me', 'vic');
    const rows = page.locator('.row');
    await page.getByText('¥21.00 from 21 packets').waitFor();
    expect(await rows.count()).toBe(20);
    const more = page.getByRole('button', { name: 'Show more' });
    await more.press('Enter');
    await more.waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(21);
    await page
      .locator('.row:focus')
      .filter({ hasText: /^Packet 1¥/ })
      .waitFor();
    expect([...(await seriousFaults(page)), ...complaints]).toEqual([]);
  });

  it('lists codes and money separately, even for someone who has only codes, and links to the code', async () => {
    const { currency } = await stage.poolOf('ivy', ['TEA-1']);
    const { id } = await open('ivy', 'jan', { ...{ totalAmount: '1', currency, split: { kind: 'equal' } } });
    await stage.rain.settled(id);
    const { page, complaints } = await stage.visit('/me', 'jan');
    await page.locator('.row').click();
    expect(await page.getByRole('link', { name: 'View code' }).getAttribute('href')).toBe(`rain/${id}`);
    await stage.give('ivy', '3.00');
    await open('ivy', 'jan', { name: 'Money as well' });
    await page.reload();
    await page.locator('.row').filter({ hasText: 'Money as well' }).waitFor();
    expect(await page.locator('.row').count()).toBe(1);
    await page.getByLabel('Currency').selectOption(currency);
    await page.locator('.row').filter({ hasText: '1 code' }).waitFor();
    expect(await page.locator('.row').count()).toBe(1);
    await page.getByRole('link', { name: 'View code' }).waitFor({ state: 'detached' });
    expect([...(await seriousFaults(page)), ...complaints]).toEqual([]);
  });

  it('lists a code that is held, even for someone who has nothing else', async () => {
    const { currency } = await stage.poolOf('ina', ['JUICE-1']);
    await stage.rain.pauseWorker();
    try {
      const { id } = await open('ina', 'ole', { totalAmount: '1', currency, split: { kind: 'equal' } });
      const [claim] = await stage.rain.sql<{ id: string }>('select id from claim where activity_id = $1', [
        id,
      ]);
      await stage.rain.operator().post(`/v1/claims/${claim!.id}/hold`, { reason: 'A robot?' });
    } finally {
      stage.rain.resumeWorker();
    }
    const { page, complaints } = await stage.visit('/me', 'ole');
    await page.locator('.row').filter({ hasText: '1 code' }).waitFor();
    await says(page, "It's yours. We're reviewing it");
    expect([...(await seriousFaults(page)), ...complaints]).toEqual([]);
  });

  it('shows the codes that a user has already seen, and no such list to users who have seen none', async () => {
    const { currency } = await stage.poolOf('ida', ['COFFEE-1', 'COFFEE-2']);
    const gift = { totalAmount: '1', currency, split: { kind: 'equal' } };
    const { redPacketId } = await open('ida', 'kim', gift);
    await open('ida', 'kim', gift);
    const kim = stage.rain.user('kim');
    const isSeen = async () => (await kim.get(`/v1/me/packets/${redPacketId}/code`)).status === 200;
    await waitFor(isSeen, { what: 'the first showing' });
    const { page, complaints } = await stage.visit('/me', 'kim');
    await page.getByRole('button', { name: 'Codes', exact: true }).click();
    await page.locator('.row').filter({ hasText: 'Gifts of ida' }).click();
    expect(await page.locator('.row').count()).toBe(1);
    await page.locator('code', { hasText: /^COFFEE-[12]$/ }).waitFor();
    await page.evaluate(`navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }`);
    await press(page, 'Copy code');
    await says(page, 'Code copied.');
    expect(await page.evaluate('globalThis.copied')).toMatch(/^COFFEE-[12]$/);
    expect(await seriousFaults(page)).toEqual([]);
    const other = await stage.visit('/me', 'leo');
    await other.page.locator('[data-balance]').waitFor();
    expect(await other.page.getByRole('button', { name: 'Codes', exact: true }).count()).toBe(0);
    expect([...complaints, ...other.complaints]).toEqual([]);
  });

  it('withdraws money that came in, or says that nothing can be withdrawn here', async () => {
    await stage.give('wim', '8.00');
    const { page, complaints } = await stage.visit('/me', 'wim');
    await page.route('**/v1/payout-channels', (route) => route.fulfill({ json: { items: [] } }));
    const opener = page.getByRole('button', { name: 'Withdraw', exact: true }).first();
    await opener.press('Enter');
    await says(page, "Withdrawals aren't available right now.");
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('.wallet button:focus').waitFor();
    await page.unroute('**/v1/payout-channels');
    await stage.createChannel('My shop', { smallest: '0.50', largest: '6.00' });
    await opener.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Wallet' });
    const choice = dialog.getByLabel('To');
    if (await choice.isVisible()) await choice.selectOption('My shop');
    await fill(page, 'Amount', '2.50');
    await dialog.getByRole('button', { name: 'Withdraw' }).click();
    await says(page, '¥2.50 is on its way.');
    await page.locator('.card [data-balance="5.50"]').waitFor();
    expect([...(await seriousFaults(page)), ...complaints]).toEqual([]);
  });

  it.each(['the gateway', 'an event stream'])(
    'shows thanks as they are said, and money as it comes, over %s',
    async (way) => {
      const sender = way === 'the gateway' ? 'xia' : 'xue';
      await stage.give(sender, '5.00');
      const visitor = await stage.visitor();
      if (way === 'an event stream') await forbidWebSockets(visitor.page);
      const { page } = visitor;
      const listens =
        way === 'the gateway' ? page.waitForEvent('websocket') : page.waitForRequest('**/v1/me/events');
      await page.goto(`${stage.rain.url}/me#token=${stage.rain.tokenOf(sender)}`);
      await listens;
      await press(page, 'Sent');
      await says(page, 'Nothing sent yet.');
      const { redPacketId } = await open(sender, 'yan');
      await page.reload();
      await press(page, 'Sent');
      await says(page, '1 of 1 opened');
      const region = page.locator('.news');
      expect(await region.getAttribute('role')).toBe('status');
      await stage.rain.user('yan').post(`/v1/me/packets/${redPacketId}/thanks`, { text: '谢谢老板' });
      await region.filter({ hasText: 'yan says: 谢谢老板' }).waitFor();
      await says(page, '1 person said thanks.');
      await press(page, 'Received');
      await says(page, 'No red packets yet.');
      await stage.give('yan', '2.00');
      await open('yan', sender);
      await says(page, 'From yan');
      await page.locator('.card [data-balance="5.00"]').waitFor();
    },
  );

  it('names a sender as they signed, and shortens a long id, which can still be read in full', async () => {
    await stage.give(LONG_ID, '9.00');
    await open(LONG_ID, 'zoe', { theme: { sender: 'Grandma' } });
    await open(LONG_ID, 'zoe', { name: 'Unsigned' });
    const { page } = await stage.visit('/me', 'zoe');
    await says(page, 'From Grandma');
    const short = page.getByText('From member-…3301');
    expect(await short.getAttribute('title')).toBe(LONG_ID);
    await stage.give('zoe', '1.00');
    const { redPacketId } = await open('zoe', LONG_ID);
    expect(redPacketId).toBeDefined();
    await page.goto(`${stage.rain.url}/me#sent`);
    await page.reload();
    await page.locator('.row').first().click();
    expect(await page.locator('abbr', { hasText: 'member-…3301' }).getAttribute('title')).toBe(LONG_ID);
  });

  it('shows the sender how much came back after the end', async () => {
    await stage.give('ivo', '6.00');
    const body = { name: 'Half', totalAmount: '6.00', packetCount: 2, split: { kind: 'equal' } };
    const { id } = (await stage.rain.user('ivo').post('/v1/activities', body)).body as { id: string };
    const { page } = await stage.visit('/me', 'ivo');
    await press(page, 'Sent');
    await page.getByRole('button', { name: /Half/ }).click();
    await says(page, /^Anything unclaimed returns to you on /);
    await stage.rain.user('ivo').post(`/v1/activities/${id}/close`);
    await page.reload();
    await press(page, 'Sent');
    await says(page, '0 of 2 opened · ¥6.00 returned');
    await says(page, '¥6.00 sent, ¥6.00 returned');
    await page.locator('[data-balance="6.00"]').waitFor();
  });
}
