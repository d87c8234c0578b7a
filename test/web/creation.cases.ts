import type { Page } from 'playwright-core';
import { planOf } from '../harness/installation';
import { seriousFaults } from './accessibility';
import { loseFirstAnswer } from './requests';
import { confirm, fill, fillAll, openTab, press, says, signIn, type Stage, value } from './stage';

const HOUR_MS = 3_600_000;

/** The fields of a batch in addition to its terms. */
const BATCH = { batch: '0', firstNo: '1', commit: null, root: null, seed: null };
const WEEK_MS = 7 * 24 * HOUR_MS;

/** The value of a date field, by the clock of the test, which is in the time zone of the browser. */
const local = (ms: number): string => {
  const offsetMs = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offsetMs).toISOString().slice(0, 19);
};

/** How browsers write the value of such a field without seconds. */
const shown = (text: string): string => text.replace(/:00$/, '');

const ms = async (page: Page, label: string): Promise<number> => new Date(await value(page, label)).getTime();

export function creationCases(stage: Stage): void {
  const console = (page: Page, path: string) => page.goto(`${stage.rain.url}/console${path}`);

  async function signedIn(page: Page, path: string, sub: string): Promise<void> {
    await console(page, path);
    await signIn(page, stage.rain.tokenOf(sub, 'operator'));
  }

  const drafts = (page: Page) => page.getByRole('region', { name: 'Drafts' });

  it('moves every time of a duplicate to the same weekday of a coming week, and moves all of them along with the opening', async () => {
    const from = Math.floor((Date.now() - 10 * 24 * HOUR_MS) / 60_000) * 60_000;
    const waves = [
      { at: new Date(from + HOUR_MS).toISOString(), count: 1 },
      { at: new Date(from + 2 * HOUR_MS).toISOString(), count: 3 },
    ];
    await stage.rain.operator().post('/v1/wallets/weekly/deposits', { amount: '4.00' });
    const { body } = await stage.rain
      .operator()
      .post('/v1/activities', {
        ...planOf({ name: 'Weekly', packetCount: 4, sponsorId: 'weekly', totalAmount: '4.00' }),
        opensAt: new Date(from).toISOString(),
        pace: { kind: 'waves', waves },
      });
    const lengthMs = Date.parse(body.closesAt) - from;
    const { page } = await stage.staff(`/activities/${body.id}`, 'operator');
    await page.getByRole('link', { name: 'Another one like this' }).click();
    await page.getByLabel('Wave 2: time', { exact: true }).waitFor();
    const opensAtMs = await ms(page, 'Opens');
    expect(opensAtMs).toBeGreaterThan(Date.now());
    expect((opensAtMs - from) % WEEK_MS).toBe(0);
    expect(opensAtMs - Date.now()).toBeLessThan(WEEK_MS);
    const times = () =>
      Promise.all(['Closes', 'Wave 1: time', 'Wave 2: time'].map((label) => ms(page, label)));
    const whole = Math.floor(lengthMs / 1_000) * 1_000;
    const apart = async (start: number) => (await times()).map((at) => at - start);
    expect((await apart(opensAtMs)).slice(1)).toEqual([HOUR_MS, 2 * HOUR_MS]);
    expect(Math.abs((await apart(opensAtMs))[0]! - whole)).toBeLessThanOrEqual(1_000);

    await fill(page, 'Opens', local(opensAtMs + 3 * HOUR_MS));
    expect((await apart(opensAtMs + 3 * HOUR_MS)).slice(1)).toEqual([HOUR_MS, 2 * HOUR_MS]);
    await page.getByRole('button', { name: 'Opens: Next hour' }).click();
    const hour = await ms(page, 'Opens');
    expect([hour > Date.now(), hour % HOUR_MS]).toEqual([true, 0]);
    expect((await apart(hour)).slice(1)).toEqual([HOUR_MS, 2 * HOUR_MS]);
    const { items } = (await stage.rain.operator().get('/v1/activities?name=Weekly')).body;
    expect(items).toHaveLength(1);
  });

  it('duplicates a rain in its own currency, even after a reload, and tops it up in that currency', async () => {
    const operator = stage.rain.operator();
    const shells = { amount: '40', currency: 'SHELLS' };
    // No limit is set for how many shells one person may move alone, so everything needs approval.
    const moved = async (path: string, body: object): Promise<string> => {
      const asked = await operator.post(path, body);
      const { body: done } = await stage.rain
        .as('finance', 'fin-4')
        .post(`/v1/approvals/${asked.body.id}/approve`);
      expect([path, asked.status, done]).toMatchObject([path, 202, { ...shells, status: 'approved' }]);
      return done.resultId as string;
    };
    await operator.post('/v1/currencies', { code: 'SHELLS', kind: 'points', name: 'Shells' });
    await moved('/v1/wallets/diver/deposits', shells);
    const terms = planOf({ name: 'Shells', packetCount: 4, sponsorId: 'diver', totalAmount: '40' });
    const id = await moved('/v1/activities', { ...terms, currency: 'SHELLS' });
    const { page } = await stage.staff(`/activities/${id}`, 'operator', { sub: 'diver-1' });
    await page.getByRole('link', { name: 'Another one like this' }).click();
    await says(page, '40 SHELLS');
    await fill(page, 'Name', 'More shells');
    await page.reload();
    await says(page, '40 SHELLS');
    expect(await confirm(page, 'Create and fund')).toContain('40 SHELLS');
    await says(page, 'Another person has to approve it.');
    expect(await stage.pending('activity.create', 'SHELLS')).toMatchObject([{ amount: '40' }]);

    await page.goto(`${stage.rain.url}/console/activities/${id}`);
    await openTab(page, 'Top up');
    await fill(page, 'Amount', '20');
    await fill(page, 'Packets', '2');
    await says(page, '20 SHELLS');
    expect(await confirm(page, 'Add packets')).toContain('20 SHELLS');
    await says(page, 'Another person has to approve it.');
    expect(await stage.pending('activity.top-up', 'SHELLS')).toMatchObject([{ amount: '20' }]);

    await page.goto(`${stage.rain.url}/console/audit?subject=activity:${id}`);
    await page.getByRole('row', { name: /Create activity.*Total amount 40 SHELLS/ }).waitFor();
  });

  it('creates a rehearsal without a deposit, and shows staff and players in both languages that it is one', async () => {
    const box = 'A rehearsal: play money rains, which needs no deposit and is worth nothing';
    const { page } = await stage.staff('/activities/new', 'operator', { sub: 'director' });
    await fill(page, 'Name', 'Dress rehearsal');
    await fill(page, 'Sponsor', 'stage');
    await fill(page, 'Total amount', '20000.00');
    await fill(page, 'Packets', '20');
    await fill(page, 'Opens', local(Date.now() - 60_000));
    await page.getByLabel(box).check();
    expect(await page.getByLabel('Wins are paid out through', { exact: true }).count()).toBe(0);
    expect(await confirm(page, 'Create and fund')).toContain('20000.00 of play money');
    await page.getByRole('heading', { name: /Dress rehearsal.*Rehearsal/ }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    const id = new URL(page.url()).pathname.split('/').at(-1)!;
    expect((await stage.rain.operator().get(`/v1/activities/${id}`)).body).toMatchObject({
      rehearsal: true,
      currency: 'XTS',
    });
    await page.getByRole('link', { name: 'Another one like this' }).click();
    await page.getByLabel(box).and(page.locator(':checked')).waitFor();
    expect(await value(page, 'Total amount')).toBe('20000.00');
    await console(page, '/activities');
    const row = page.getByRole('row', { name: /Dress rehearsal/ });
    await row.getByText('Rehearsal', { exact: true }).waitFor();

    const { page: player } = await stage.player(id, 'understudy');
    await says(player, 'Rehearsal: these red packets hold play money, which is worth nothing.');
    expect(await seriousFaults(player)).toEqual([]);
    await player.getByRole('button', { name: '中文' }).click();
    await says(player, '彩排：这些红包里是演练币，没有实际价值。');
  });

  it('creates activities for named users, for a password and for a link, which can be copied with its code and replaced', async () => {
    const operator = stage.rain.operator();
    await operator.post('/v1/wallets/inviter/deposits', { amount: '40.00' });
    const { page, complaints } = await stage.staff('/activities/new', 'operator', { sub: 'host-1' });
    const begin = async (name: string, kind: string) => {
      await fill(page, 'Name', name);
      await fillAll(page, { Sponsor: 'inviter', 'Total amount': '10.00', Packets: '2' });
      await fill(page, 'Opens', local(Date.now() - 60_000));
      await page.getByLabel('Who can see it', { exact: true }).selectOption(kind);
    };
    const audienceOf = async () =>
      (await operator.get(`/v1/activities/${new URL(page.url()).pathname.split('/')[3]}/audience`)).body;

    await begin('For two', 'Users by name');
    await fill(page, 'User ids', 'ann, bob');
    await page.reload();
    expect(await value(page, 'User ids')).toBe('ann, bob');
    await confirm(page, 'Create and fund');
    await says(page, 'Users by name: ann, bob');
    expect(await audienceOf()).toEqual({ kind: 'people', userIds: ['ann', 'bob'] });
    expect(await seriousFaults(page)).toEqual([]);

    await page.getByRole('link', { name: 'Another one like this' }).click();
    await page.getByLabel('User ids', { exact: true }).waitFor();
    expect(await value(page, 'User ids')).toBe('ann\nbob');
    await begin('For friends', 'Users who know a password');
    await fill(page, 'Password', 'Sesame');
    await confirm(page, 'Create and fund');
    await says(page, 'Users who know the password Sesame');
    await openTab(page, 'Page for players');
    await page.getByRole('link', { name: /#password$/ }).waitFor();

    await console(page, '/activities/new');
    await begin('For a group', 'Users with the link');
    await confirm(page, 'Create and fund');
    await openTab(page, 'Page for players');
    const link = page.getByRole('link', { name: /#c=/ });
    const former = await link.innerText();
    expect(new URL(former).hash).toBe(`#c=${(await audienceOf()).shareCode}`);
    await page.evaluate(
      `Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => void (copied = text) } })`,
    );
    await press(page, 'Copy the link');
    await says(page, 'Copied.');
    expect(await page.evaluate('copied')).toBe(former);
    expect(await seriousFaults(page)).toEqual([]);
    expect(await confirm(page, 'New link')).toContain('stops working within two seconds');
    await page.getByText(former).waitFor({ state: 'detached' });
    expect(new URL(await link.innerText()).hash).toBe(`#c=${(await audienceOf()).shareCode}`);
    expect(complaints).toEqual([]);
  });

  it('adds a currency, and offers deposits and rains in it, with its decimals and only with channels that pay it out', async () => {
    const operator = stage.rain.operator();
    await stage.createChannel('Yuan only', { smallest: '0.01' });
    const { page, complaints } = await stage.staff('/currencies', 'operator', { sub: 'minter' });
    await press(page, 'New currency');
    await fill(page, 'Code', 'pearls');
    await fill(page, 'Name', 'Pearls');
    await page.getByLabel('Decimals', { exact: true }).selectOption('1');
    await press(page, 'Add a currency');
    await says(page, 'PEARLS is added.');
    const row = page.getByRole('row', { name: /PEARLS/ });
    expect(await row.innerText()).toMatch(/PEARLS\s+Pearls\s+Points\s+1/);
    expect(await seriousFaults(page)).toEqual([]);
    await press(page, 'New currency');
    await page.getByLabel('Kind', { exact: true }).selectOption('money');
    await fill(page, 'Code', 'CNY');
    await fill(page, 'Name', 'Yuan');
    await press(page, 'Add a currency');
    await page.getByRole('alert').filter({ hasText: 'currency' }).waitFor();

    await console(page, '/wallets/oyster');
    await says(page, 'There is no CNY wallet of oyster yet.');
    await page.getByLabel('Currency', { exact: true }).selectOption('PEARLS');
    await says(page, 'There is no PEARLS wallet of oyster yet.');
    await press(page, 'New deposit');
    await fill(page, 'Amount', '30.5');
    expect(await confirm(page, 'Deposit')).toContain('30.5 PEARLS');
    const [asked] = await stage.pending('wallet.deposit', 'PEARLS');
    expect(asked).toMatchObject({ amount: '30.5', subject: 'wallet:oyster' });
    await stage.rain.as('finance', 'fin-5').post(`/v1/approvals/${asked!.id}/approve`);
    await console(page, '/wallets?list=wallets&currency=PEARLS');
    await page.getByRole('link', { name: 'oyster' }).click();
    await says(page, '30.5 PEARLS');
    await confirm(page, 'Freeze');
    const frozen = async (query: string) =>
      (await operator.get(`/v1/wallets/oyster?currency=${query}`)).body.status as string;
    expect([await frozen('PEARLS'), await frozen('CNY')]).toEqual(['frozen', 'active']);

    await console(page, '/activities/new');
    const channels = page.getByLabel('Wins are paid out through', { exact: true }).locator('option');
    await channels.filter({ hasText: 'Yuan only' }).waitFor({ state: 'attached' });
    await page.getByLabel('Currency', { exact: true }).selectOption('PEARLS');
    await channels.filter({ hasText: 'Yuan only' }).waitFor({ state: 'detached' });
    const total = page.getByLabel('Total amount', { exact: true });
    expect(await total.getAttribute('placeholder')).toBe('0.0');
    await fill(page, 'Total amount', '10.5');
    await fill(page, 'Packets', '3');
    await says(page, '10.5 PEARLS');
    expect(complaints.filter((one) => !one.includes('409'))).toEqual([]);
  });

  it('keeps a draft through a reload, a closed tab and the end of a sign-in, only for its author, until it is created or deleted', async () => {
    await stage.rain.operator().post('/v1/wallets/drafter/deposits', { amount: '6.00' });
    const { page, context } = await stage.staff('/activities/new', 'operator', { sub: 'drafter-1' });
    await fill(page, 'Name', 'Half done');
    await fill(page, 'Sponsor', 'drafter');
    await page.getByLabel('Packets are released').selectOption('waves');
    await press(page, 'Add a wave');
    await fill(page, 'Wave 1: packets', '2');
    const expectDraft = async () => {
      await page.getByLabel('Wave 1: packets', { exact: true }).waitFor();
      const values = ['Name', 'Sponsor', 'Wave 1: packets'].map((label) => value(page, label));
      expect(await Promise.all(values)).toEqual(['Half done', 'drafter', '2']);
    };
    await page.reload();
    await expectDraft();
    await press(page, 'Sign out');
    await signIn(page, stage.rain.tokenOf('drafter-1', 'operator'));
    await expectDraft();
    await page.close();

    const stranger = await context.newPage();
    await signedIn(stranger, '/activities', 'drafter-2');
    await stranger.getByRole('heading', { name: 'Activities' }).waitFor();
    expect(await drafts(stranger).count()).toBe(0);
    await stranger.close();

    const later = await context.newPage();
    await signedIn(later, '/activities', 'drafter-1');
    await drafts(later).getByRole('link', { name: 'Half done' }).click();
    expect(await value(later, 'Name')).toBe('Half done');
    const stored = await later.evaluate<string>('JSON.stringify(localStorage)');
    expect(stored).not.toContain(stage.rain.tokenOf('drafter-1', 'operator').split('.')[0]);

    await later.getByRole('navigation').getByRole('link', { name: 'Activities', exact: true }).click();
    await later.getByRole('link', { name: 'New activity' }).click();
    expect(await value(later, 'Name')).toBe('');
    await drafts(later).getByRole('link', { name: 'Half done' }).click();
    await later.getByLabel('Packets are released').selectOption('none');
    await fill(later, 'Total amount', '6.00');
    await fill(later, 'Packets', '2');
    await confirm(later, 'Create and fund');
    await later.getByRole('heading', { name: 'Half done' }).waitFor();
    await later.getByRole('navigation').getByRole('link', { name: 'Activities', exact: true }).click();
    await later.getByRole('link', { name: 'New activity' }).click();
    await fill(later, 'Name', 'Never');
    expect(await drafts(later).count()).toBe(0);
    await later.getByRole('navigation').getByRole('link', { name: 'Activities', exact: true }).click();
    await drafts(later).getByText('Never').waitFor();
    await confirm(later, 'Delete');
    await drafts(later).waitFor({ state: 'detached' });
  });

  it('keeps the twenty newest drafts, and ignores stored values that are not drafts', async () => {
    const { page } = await stage.staff('/activities/new', 'operator', { sub: 'hoarder' });
    await fill(page, 'Name', 'Mine');
    await drafts(page).waitFor({ state: 'detached' });
    await page.evaluate(`{
      const name = Object.keys(localStorage).find((key) => key.startsWith('hongbao.drafts') && key.endsWith('hoarder'));
      const others = Array.from({ length: 30 }, (_, i) => ({
        id: 'old-' + i, changedAtMs: i, draft: { name: 'Old ' + i, packetCount: 7, pace: { kind: 'waves', waves: [{ at: 3 }] } },
      }));
      localStorage.setItem(name, JSON.stringify([null, 7, { id: 3 }, ...others]));
    }`);
    await page.reload();
    await drafts(page).getByRole('link', { name: 'Old 29' }).click();
    expect([
      await value(page, 'Name'),
      await value(page, 'Packets'),
      await value(page, 'Wave 1: packets'),
    ]).toEqual(['Old 29', '', '']);
    await fill(page, 'Name', 'Newest');
    await page.getByRole('navigation').getByRole('link', { name: 'Activities', exact: true }).click();
    await drafts(page).getByRole('link', { name: 'Newest' }).waitFor();
    const names = await drafts(page).getByRole('link').allInnerTexts();
    expect(names).toHaveLength(20);
    expect(names.slice(0, 2)).toEqual(['Newest', 'Old 28']);
  });

  it('creates once, even if the answer was lost and the page was reloaded before the next attempt', async () => {
    await stage.rain.operator().post('/v1/wallets/lossy/deposits', { amount: '8.00' });
    const { page } = await stage.staff('/activities/new', 'operator', { sub: 'loser' });
    await fillAll(page, { Name: 'Only once', Sponsor: 'lossy', 'Total amount': '4.00', Packets: '2' });
    const sent = await loseFirstAnswer<unknown>(page, '**/v1/activities', (request) =>
      request.postDataJSON(),
    );
    await confirm(page, 'Create and fund');
    await says(page, 'The API does not answer.');
    await page.reload();
    await confirm(page, 'Create and fund');
    await page.getByRole('heading', { name: 'Only once' }).waitFor();
    expect((await stage.rain.operator().get('/v1/activities?name=Only%20once')).body.items).toHaveLength(1);
    expect(sent).toEqual([sent[0], sent[0]]);
    expect(sent[0]).toHaveProperty('sponsorSeed');
  });

  it('brings a word of its own, compares it with the published terms, and replaces it if it has expired', async () => {
    await stage.rain.operator().post('/v1/wallets/wordsmith/deposits', { amount: '8.00' });
    const { page, complaints } = await stage.staff('/activities/new', 'operator', { sub: 'word-op' });
    await fillAll(page, { Name: 'Worded', Sponsor: 'wordsmith', 'Total amount': '4.00', Packets: '2' });
    await page.route('**/v1/activities', (route) => route.abort(), { times: 1 });
    await confirm(page, 'Create and fund');
    await says(page, 'The API does not answer.');
    await stage.rain.sql(`update seed_commitment set expires_at = now() where user_id = 'word-op'`);
    await confirm(page, 'Create and fund');
    await page.getByRole('heading', { name: 'Worded' }).waitFor();
    const id = page.url().split('/').at(-1)!;
    const [{ terms }] = (await stage.rain.operator().get(`/v1/activities/${id}/fairness`)).body.batches;
    expect(terms.v).toBe('3');
    await openTab(page, 'Fairness');
    await says(page, 'Drawn by the sponsor and the server together');
    await says(page, terms.sponsorSeed);
    await says(page, 'It is the number that this browser sent.');
    expect(await seriousFaults(page)).toEqual([]);
    await page.evaluate(`navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }`);
    await press(page, 'Copy the number');
    await says(page, 'The commitment and the number are copied.');
    const { commitment, sponsorSeed } = terms;
    expect(JSON.parse(await page.evaluate<string>('copied'))).toEqual({ commitment, sponsorSeed });

    const other = { ...terms, sponsorSeed: 'ab'.repeat(32) };
    await page.route('**/v1/activities/*/fairness*', (route) =>
      route.fulfill({ json: { batches: [{ ...BATCH, terms: other }], nextCursor: null } }),
    );
    await page.reload();
    await says(
      page,
      `The published terms do not have the random number that this browser sent: ${sponsorSeed}.`,
    );
    await page.unroute('**/v1/activities/*/fairness*');

    const alone = await stage.rain.createActivity({ packetCount: 1 });
    await page.goto(`${stage.rain.url}/console/activities/${alone}/fairness`);
    await says(page, 'Drawn by the server alone');
    expect(await page.getByRole('button', { name: 'Copy the number' }).count()).toBe(0);
    await page.getByRole('button', { name: '中文' }).click();
    await says(page, '由服务器单独抽取');
    await page.goto(`${stage.rain.url}/console/activities/${id}/fairness`);
    await says(page, '发起方的随机数参与了抽取');
    // The browser's own lines about the aborted request and the refused one.
    expect(complaints).toHaveLength(2);
  });

  it('edits waves row by row, by keyboard too, with faults next to each wave and the curve that Redis will follow', async () => {
    const { page } = await stage.staff('/activities/new', 'operator', { sub: 'waver' });
    const start = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + HOUR_MS;
    await fill(page, 'Opens', local(start));
    await fill(page, 'Closes', local(start + 2 * HOUR_MS));
    await fill(page, 'Packets', '10');
    await page.getByLabel('Packets are released').selectOption('waves');
    await page.getByRole('button', { name: 'Add a wave' }).focus();
    await page.keyboard.press('Enter');
    expect(await value(page, 'Wave 1: packets')).toBe('10');
    await fill(page, 'Wave 1: packets', '7');
    await page.getByRole('button', { name: 'Add a wave' }).focus();
    await page.keyboard.press('Enter');
    expect([await value(page, 'Wave 1: time'), await value(page, 'Wave 2: packets')]).toEqual([
      shown(local(start)),
      '3',
    ]);
    await says(page, 'All 10 packets are in waves.');
    await page.getByRole('img', { name: /Packets released by each moment: .*: 7, .*: 10$/ }).waitFor();

    await page.getByRole('button', { name: 'Wave 1: move its packets to the wave after' }).focus();
    await page.keyboard.press('Enter');
    expect([await value(page, 'Wave 1: packets'), await value(page, 'Wave 2: packets')]).toEqual(['3', '7']);
    expect(await page.evaluate<string>('document.activeElement.ariaLabel')).toBe(
      'Wave 2: move its packets to the wave after',
    );
    await fill(page, 'Wave 2: time', local(start - HOUR_MS));
    const second = page.locator('.waves li').nth(1);
    await second.getByText('Before the opening.').waitFor();
    expect(await page.locator('.waves li').first().locator('.complaint').count()).toBe(0);
    await fill(page, 'Wave 2: time', local(start));
    await second.getByText('Not later than the wave before it.').waitFor();
    await fill(page, 'Wave 2: time', local(start + 2 * HOUR_MS));
    await second.getByText('Not before the close.').waitFor();
    await fill(page, 'Wave 2: time', local(start + HOUR_MS));
    await second.locator('.complaint').waitFor({ state: 'detached' });
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove wave 2' }).focus();
    await page.keyboard.press('Enter');
    await says(page, '3 of 10 packets are in waves.');
  });

  it('names the time zone of its times, and offers quick choices', async () => {
    const { page } = await stage.staff('/activities/new', 'operator', { sub: 'zoner' });
    const zone = await page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone');
    expect(await page.locator('.moment small').first().innerText()).toContain(zone);
    await page.getByRole('button', { name: 'Opens: In 10 min' }).click();
    expect(Math.abs((await ms(page, 'Opens')) - Date.now() - 600_000)).toBeLessThan(60_000);
    await page.getByRole('button', { name: 'Closes: After 1 h' }).click();
    expect((await ms(page, 'Closes')) - (await ms(page, 'Opens'))).toBe(HOUR_MS);
    await page.getByRole('button', { name: /^Opens: (Tonight|Tomorrow) 20:00$/ }).click();
    expect(new Date(await ms(page, 'Opens')).getHours()).toBe(20);
  });

  it('extends an open rain, which then closes later', async () => {
    const id = await stage.rain.createActivity({ sponsorId: 'longer', packetCount: 1 });
    const before = (await stage.rain.operator().get(`/v1/activities/${id}`)).body.closesAt;
    const { page } = await stage.staff(`/activities/${id}/top-up`, 'campaign');
    await page.getByRole('button', { name: 'New closing time: 1 h longer' }).click();
    await press(page, 'Extend');
    await says(page, 'It now closes at');
    const after = (await stage.rain.operator().get(`/v1/activities/${id}`)).body.closesAt;
    expect(Math.abs(Date.parse(after) - Date.parse(before) - HOUR_MS)).toBeLessThanOrEqual(1_000);
  });

  it('shows the sponsor how it went, on a page that prints without anything else', async () => {
    const id = await stage.rain.createActivity({
      ...{ name: 'Gala', sponsorId: 'host', packetCount: 3, totalAmount: '6.00', split: { kind: 'equal' } },
    });
    for (const user of ['gala-1', 'gala-2']) await stage.rain.user(user).post(`/v1/activities/${id}/grabs`);
    await stage.rain.user('gala-1').post(`/v1/activities/${id}/grabs`);
    await stage.rain.settled(id);
    await stage.rain.operator().post(`/v1/activities/${id}/close`);
    const { page, complaints } = await stage.staff(`/activities/${id}`, 'support');
    await page.getByRole('link', { name: 'How it went' }).click();
    await page.getByRole('heading', { level: 1, name: 'How it went: Gala' }).waitFor();
    const fact = (part: string, name: string, text: string) =>
      page
        .getByRole('region', { name: part, exact: true })
        .locator('div', { has: page.getByText(name, { exact: true }) })
        .getByText(text)
        .first()
        .waitFor();
    await fact('Money', 'Won', '4.00 CNY');
    await fact('Money', 'Refunded', '2.00 CNY');
    await fact('Packets', 'Winners', '2 of 3');
    await fact('Packets', 'Average', '2.00 CNY');
    await says(page, '1 left at the end.');
    await fact('Money', 'Books', 'They agree.');
    await fact('Taps', 'All taps', '3');
    await fact('Without a packet, by reason', 'Had a packet already', '1');
    await fact('Payment', 'In wallets', '4.00 CNY (2 packets)');
    await page.getByRole('link', { name: new RegExp(`/rain/${id}$`) }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('navigation').isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
    expect(await page.getByLabel('Times are shown in').isVisible()).toBe(false);
    // The report fills the sheet: no column is next to it.
    const sheet = page.viewportSize()!.width;
    expect((await page.locator('.report').boundingBox())!.width).toBeGreaterThan(0.9 * sheet);
    expect(complaints).toEqual([]);
  });

  it('says how long it took until the last packet was gone', async () => {
    const id = await stage.rain.createActivity({ name: 'Quick', sponsorId: 'quick', packetCount: 1 });
    await stage.rain.user('quickest').post(`/v1/activities/${id}/grabs`);
    await stage.rain.operator().post(`/v1/activities/${id}/close`);
    const { page } = await stage.staff(`/activities/${id}/report`, 'operator');
    await says(page, /The last packet was gone after/);
  });
}
