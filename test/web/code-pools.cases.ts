import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { planOf } from '../harness/installation';
import { seriousFaults } from './accessibility';
import { confirm, fill, grab, type Pool, press, says, signIn, type Stage } from './stage';

const csv = (name: string, ...codes: string[]) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(codes.join('\n')),
});

export function codePoolsCases(stage: Stage): void {
  const operator = () => stage.rain.operator();
  const dialog = (page: Page) => page.getByRole('dialog');

  const countsOf = async ({ id }: Pick<Pool, 'id'>) => (await operator().get(`/v1/code-pools/${id}`)).body;

  /** Creates a rain as its sponsor, who needs nobody's approval. */
  async function rainOf(sponsorId: string, { currency }: Pool, count: number): Promise<string> {
    const plan = planOf({
      sponsorId,
      totalAmount: String(count),
      packetCount: count,
      split: { kind: 'equal' },
      audience: { kind: 'public' },
    });
    const { status, body } = await stage.rain.user(sponsorId).post('/v1/activities', { ...plan, currency });
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.id as string;
  }

  async function upload(page: Page, ...files: Parameters<ReturnType<Page['locator']>['setInputFiles']>) {
    if (!(await dialog(page).count())) await press(page, 'Upload codes');
    await dialog(page)
      .getByLabel('File', { exact: true })
      .setInputFiles(...files);
    await dialog(page).getByRole('button', { name: 'Upload codes', exact: true }).click();
  }

  it('are created in a dialog and filled from files; a bad file is refused whole, and its bad line is named', async () => {
    const { page, complaints } = await stage.staff('/code-pools', 'operator');
    await press(page, 'New pool');
    await fill(page, 'Name', 'Tea for a year');
    const sponsor = dialog(page).getByLabel('Sponsor', { exact: true });
    await sponsor.fill('no sponsor');
    await press(page, 'Create the pool');
    await dialog(page).getByRole('alert').filter({ hasText: 'Sponsor' }).waitFor();
    await sponsor.fill('tea-house');
    await press(page, 'Create the pool');
    await page.getByRole('heading', { name: 'Tea for a year' }).waitFor();
    await says(page, 'Upload a file of codes, and rains can give them away.');
    const standing = await page.getByRole('region', { name: 'Codes by state' }).innerText();
    expect(standing).toMatch(/^Free\s+0\s+Uploaded\s+0\b/);
    const id = page.url().split('/').at(-1)!;

    await upload(page, csv('twice.csv', 'code', 'T-1', 'T-2', 'T-1'));
    await dialog(page)
      .getByRole('alert')
      .filter({ hasText: 'Line 4: its code is already in pool' })
      .waitFor();
    await upload(page, csv('wrong.csv', 'T-1', 'T-2,T-3'));
    await dialog(page).getByRole('alert').filter({ hasText: 'Line 2: it has 2 cells' }).waitFor();
    expect(await countsOf({ id })).toMatchObject({ uploaded: 0 });
    await upload(page, csv('right.csv', 'code', 'T-1', 'T-2'));
    await says(page, 'right.csv: 2 codes uploaded. The pool has received 2 in all.');
    const file = { name: 'more.ndjson', mimeType: '', buffer: Buffer.from('{"code":"T-3"}\n') };
    await upload(page, file);
    await says(page, 'more.ndjson: 1 code uploaded. The pool has received 3 in all.');
    const free = page.getByRole('region', { name: 'Codes by state' }).locator('div.credited dd');
    await free.filter({ hasText: /^3$/ }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);

    await press(page, '中文');
    await press(page, '上传兑换码');
    await dialog(page)
      .getByLabel('文件', { exact: true })
      .setInputFiles(csv('doppelt.csv', 'T-9', 'T-3'));
    await dialog(page).getByRole('button', { name: '上传兑换码', exact: true }).click();
    await says(page, '第 2 行：有兑换码重复，整个文件未上传。');
    await page.keyboard.press('Escape');
    await page.getByRole('navigation').getByRole('link', { name: '兑换码库' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Tea for a year' });
    await row.waitFor();
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(
      expect.arrayContaining(['tea-house', `CODE${id}`, '3']),
    );
    expect(await seriousFaults(page)).toEqual([]);
    expect(complaints.filter((one) => !/4(00|22)/.test(one))).toEqual([]);
  });

  it('receive a file once even if its answer is lost, and never mistake another file for it', async () => {
    const pool = await stage.poolOf('loser');
    const { page } = await stage.staff(`/code-pools/${pool.id}`, 'campaign');
    const keys: (string | undefined)[] = [];
    const address = `**/v1/code-pools/${pool.id}/codes`;
    await page.route(address, async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      await route.fetch();
      await route.abort();
    });
    await upload(page, csv('first.csv', 'L-1', 'L-2'));
    await dialog(page).getByRole('alert').filter({ hasText: 'does not answer' }).waitFor();
    expect(await countsOf(pool)).toMatchObject({ uploaded: 2 });
    await page.unroute(address);
    page.on('request', (request) => {
      if (request.url().endsWith('/codes')) keys.push(request.headers()['idempotency-key']);
    });
    await dialog(page).getByRole('button', { name: 'Upload codes', exact: true }).click();
    await says(page, 'first.csv: 2 codes uploaded. The pool has received 2 in all.');
    await upload(page, csv('second.csv', 'L-3'));
    await says(page, 'second.csv: 1 code uploaded. The pool has received 3 in all.');
    expect([keys[0] === keys[1], keys[1] === keys[2], keys.length]).toEqual([true, false, 3]);
  });

  it('show the progress of an upload, and refuse a file that was changed after it was chosen', async () => {
    const pool = await stage.poolOf('patient');
    const { page } = await stage.staff(`/code-pools/${pool.id}`, 'operator');
    await says(page, 'Upload a file of codes, and rains can give them away.');
    const folder = mkdtempSync(join(tmpdir(), 'codes-'));
    const path = join(folder, 'large.csv');
    writeFileSync(path, Array.from({ length: 20_000 }, (_, i) => `P-${i}`).join('\n'));
    await press(page, 'Upload codes');
    await dialog(page).getByLabel('File', { exact: true }).setInputFiles(path);
    writeFileSync(path, Array.from({ length: 30_000 }, (_, i) => `P-${i}`).join('\n'));
    await dialog(page).getByRole('button', { name: 'Upload codes', exact: true }).click();
    await dialog(page).getByRole('alert').filter({ hasText: 'large.csv has changed' }).waitFor();
    const thaw = await stage.freezePostgres();
    try {
      await upload(page, path);
      await dialog(page).getByRole('progressbar', { name: 'Progress of the upload' }).waitFor();
      expect(
        await dialog(page).getByRole('button', { name: 'Uploading…' }).getAttribute('aria-disabled'),
      ).toBe('true');
    } finally {
      thaw();
    }
    await says(page, 'large.csv: 30000 codes uploaded.');
    rmSync(folder, { recursive: true });
  });

  it('are filled by campaign staff too, created only by operators, and seen by nobody else', async () => {
    const pool = await stage.poolOf('narrow');
    const { page } = await stage.staff('/code-pools', 'campaign');
    await page.getByRole('link', { name: 'Gifts of narrow' }).click();
    await upload(page, csv('ours.csv', 'N-1'));
    await says(page, 'ours.csv: 1 code uploaded.');
    await page.getByRole('navigation').getByRole('link', { name: 'Code pools' }).click();
    await page.getByRole('link', { name: 'Gifts of narrow' }).waitFor();
    expect(await page.getByRole('button', { name: 'New pool' }).count()).toBe(0);
    expect(await countsOf(pool)).toMatchObject({ uploaded: 1 });
    const { page: other } = await stage.staff(`/code-pools/${pool.id}`, 'support');
    await says(other, 'Code pools: not for your role');
    expect(await other.getByRole('link', { name: 'Code pools' }).count()).toBe(0);
  });

  it('say what is wrong with the key that seals codes', async () => {
    const [pool, other] = [await stage.poolOf('keyed'), await stage.poolOf('other-key')];
    const { url } = await stage.rain.startAnother('main.js', { CODE_SEAL_KEY: '' });
    const visitor = await stage.visitor();
    visitor.expectsStrangers = true;
    const { page } = visitor;
    await page.goto(`${url}/console/code-pools/${pool.id}`);
    await signIn(page, stage.rain.tokenOf('keyless', 'operator'));
    await upload(page, csv('keyed.csv', 'K-1'));
    await dialog(page).getByRole('alert').filter({ hasText: 'CODE_SEAL_KEY is not set here' }).waitFor();

    const keyOf = async (id: string) =>
      (await stage.rain.sql<{ key: Buffer }>(`select wrapped_key as key from code_pool where id = ${id}`))[0]!
        .key;
    const wrap = (key: Buffer) =>
      stage.rain.sql('update code_pool set wrapped_key = $1 where id = $2', [key, pool.id]);
    const own = await keyOf(pool.id);
    await wrap(await keyOf(other.id));
    try {
      const { page: desk } = await stage.staff(`/code-pools/${pool.id}`, 'operator');
      await upload(desk, csv('keyed.csv', 'K-1'));
      const alert = dialog(desk).getByRole('alert');
      await alert.filter({ hasText: `not the one that sealed pool ${pool.id}` }).waitFor();
      expect(await countsOf(pool)).toMatchObject({ uploaded: 0 });
      await wrap(own);
      await dialog(desk).getByRole('button', { name: 'Upload codes', exact: true }).click();
      await says(desk, 'keyed.csv: 1 code uploaded.');
    } finally {
      await wrap(own);
    }
  });

  it('are given away by a new activity, whose form asks only for terms that codes leave open, and refuses more packets than free codes', async () => {
    const pool = await stage.poolOf('giver', ['G-1', 'G-2', 'G-3', 'G-4']);
    const { page } = await stage.staff(`/code-pools/${pool.id}`, 'operator', { sub: 'giver-1' });
    await page.getByRole('link', { name: 'Give them away' }).click();
    await says(page, 'Each packet gives one code. "Gifts of giver" has 4 free.');
    expect(await page.getByLabel('Sponsor', { exact: true }).inputValue()).toBe('giver');
    for (const absent of ['Total amount', 'Split', 'Wins are paid out through', 'Best luck'])
      expect([absent, await page.getByLabel(absent, { exact: true }).count()]).toEqual([absent, 0]);
    await fill(page, 'Name', 'A rain of gifts');
    await fill(page, 'Packets', '5');
    await confirm(page, 'Create and fund');
    await page.getByRole('alert').filter({ hasText: 'The pool has too few free codes' }).waitFor();
    await fill(page, 'Packets', '2');
    expect(await confirm(page, 'Create and fund')).toContain(`2 codes of ${pool.currency}`);
    await says(page, 'Another person has to approve it.');
    const approve = async (action: string): Promise<string> => {
      const [asked] = await stage.pending(action, pool.currency);
      const { body } = await stage.rain.as('finance', 'fin-9').post(`/v1/approvals/${asked!.id}/approve`);
      expect(body).toMatchObject({ status: 'approved' });
      return body.resultId as string;
    };
    const id = await approve('activity.create');
    await page.goto(`${stage.rain.url}/console/activities/${id}/top-up`);
    await says(page, 'Each packet gives one code. "Gifts of giver" has 2 free.');
    expect(await page.getByLabel('Amount', { exact: true }).count()).toBe(0);
    await fill(page, 'Packets', '1');
    expect(await confirm(page, 'Add packets')).toContain(`1 code of ${pool.currency}`);
    await says(page, 'Another person has to approve it.');
    await approve('activity.top-up');
    await page.goto(`${stage.rain.url}/console/code-pools/${pool.id}`);
    const row = page.getByRole('row').filter({ hasText: 'A rain of gifts' });
    await row.waitFor();
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(['A rain of gifts', 'Not over yet', '3', id]);

    await page.goto(`${stage.rain.url}/console/activities/new?like=${id}`);
    await says(page, '"Gifts of giver" has 1 free.');
    expect(await page.getByLabel('Packets', { exact: true }).inputValue()).toBe('2');
    await checkWallet(page, pool);
  });

  /** There are no deposits and no channels in codes. */
  async function checkWallet(page: Page, { currency }: Pool): Promise<void> {
    await page.goto(`${stage.rain.url}/console/wallets/giver?currency=${currency}`);
    await says(page, `1 code of ${currency}`);
    expect(await page.getByRole('button', { name: 'New deposit' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Reverse' }).count()).toBe(0);
    await page.getByLabel('Currency', { exact: true }).selectOption('CNY');
    await page.getByRole('button', { name: 'New deposit' }).waitFor();
    await operator().post('/v1/currencies', { code: 'STARS', kind: 'points', name: 'Stars' });
    await page.goto(`${stage.rain.url}/console/payouts/channels`);
    await press(page, 'New channel');
    const offered = page.getByLabel('Currency', { exact: true }).locator('option');
    await offered.filter({ hasText: 'STARS' }).waitFor({ state: 'attached' });
    expect((await offered.allInnerTexts()).filter((text) => text.startsWith('CODE'))).toEqual([]);
  }

  describe('on the page of a player', () => {
    it('show a code once it is credited, let it be copied, and show it again on every visit, in both languages', async () => {
      const pool = await stage.poolOf('bakery', ['CAKE-1', 'CAKE-2']);
      const id = await rainOf('bakery', pool, 2);
      await stage.rain.pauseWorker();
      const { page, complaints } = await stage.player(id, 'eater');
      await page
        .evaluate(`navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }`)
        .catch(() => undefined);
      try {
        await grab(page);
        await says(page, 'You got a red packet!');
        await says(page, 'Your code is on its way. Stay here.');
        expect(await page.locator('.card > p[role=status]').first().innerText()).toContain('1 code');
        expect(await page.getByRole('button', { name: 'Copy code' }).count()).toBe(0);
      } finally {
        stage.rain.resumeWorker();
      }
      const code = page.locator('[role=status] code');
      const text = await code.innerText();
      expect(['CAKE-1', 'CAKE-2']).toContain(text);
      await says(page, 'Gifts of bakery');
      await says(page, 'Keep it safe');
      await press(page, 'Copy code');
      await says(page, 'Code copied.');
      expect(await page.evaluate('copied')).toBe(text);
      expect(await seriousFaults(page)).toEqual([]);
      await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new DOMException('No.', 'NotAllowedError'));
        document.execCommand = () => false;`);
      await press(page, 'Copy code');
      await says(page, 'Code selected. Copy it by hand.');
      expect(await page.evaluate('getSelection().toString()')).toBe(text);

      await page.reload();
      await says(page, 'You already got this one.');
      expect(await code.innerText()).toBe(text);
      await press(page, '中文');
      await says(page, '请妥善保管');
      await says(page, '1 个兑换码');
      expect(await code.innerText()).toBe(text);
      await page.getByRole('button', { name: '钱包' }).click();
      await says(page, '兑换码不能提现');
      expect(complaints).toEqual([]);
    });

    it('say that a code cannot be shown if the server lacks the key, and show it if the server has it', async () => {
      const pool = await stage.poolOf('locked', ['LOCK-1']);
      const id = await rainOf('locked', pool, 1);
      await stage.rain.user('waiter').post(`/v1/activities/${id}/grabs`);
      await stage.rain.settled(id);
      const { url } = await stage.rain.startAnother('main.js', { CODE_SEAL_KEY: '' });
      const visitor = await stage.visitor();
      await stage.enter(visitor, id, 'waiter', url);
      await says(visitor.page, "We can't show your code right now. It's still yours. Still trying…");
      visitor.expectsStrangers = true;
      const { page } = await stage.player(id, 'waiter');
      expect(await page.locator('[role=status] code').innerText()).toBe('LOCK-1');
    });
  });
}
