import type { Page } from 'playwright-core';
import { waitFor } from '../harness/engines';
import { planOf } from '../harness/installation';
import { seriousFaults } from './accessibility';
import { confirm, fill, fillAll, press, says, type Stage } from './stage';

const DAY_MS = 86_400_000;

export function seriesCases(stage: Stage): void {
  const campaign = () => stage.rain.as('campaign', 'marketing');

  const inDays = (days: number, time: string): string =>
    `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)}T${time}`;

  async function seriesOf(change: object): Promise<string> {
    const { opensAt: _, closesAt: __, ...terms } = planOf({ packetCount: 2, totalAmount: '2.00' });
    const timing = { rrule: 'FREQ=DAILY', timeZone: 'UTC', start: inDays(1, '20:00:00'), count: 3 };
    const { status, body } = await campaign().post('/v1/series', {
      ...terms,
      ...timing,
      durationSeconds: 3_600,
      ...change,
    });
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.id as string;
  }

  const choose = (page: Page, label: string, option: string) =>
    page.getByLabel(label, { exact: true }).selectOption({ label: option });

  it('are created by simple choices, with the next occurrences, in the times of their zone, next to the form', async () => {
    const { page, complaints } = await stage.staff('/series', 'campaign', { sub: 'marketing' });
    await says(page, 'Series');
    await page.getByRole('link', { name: 'New series' }).click();
    await fillAll(page, { Name: 'Weekly tea', Sponsor: 'tea-series', 'Total amount': '4.00', Packets: '2' });
    await choose(page, 'Time zone', 'Asia/Shanghai');
    await fill(page, 'Starts', inDays(1, '20:00:00'));
    const preview = page.getByRole('region', { name: 'Next occurrences' });
    await preview
      .getByText(/^Fri, .* 8:00 PM GMT\+8/)
      .first()
      .waitFor();
    await page.getByLabel('Monday', { exact: true }).focus();
    await page.keyboard.press('Space');
    await preview
      .getByText(/^Mon, .* 8:00 PM GMT\+8/)
      .first()
      .waitFor();
    expect(await preview.getByRole('listitem').count()).toBe(10);
    expect(await seriousFaults(page)).toEqual([]);
    await choose(page, 'Repeats', 'By a rule of RFC 5545');
    expect(await page.getByLabel('Rule', { exact: true }).inputValue()).toBe('FREQ=WEEKLY;BYDAY=MO,FR');
    await fill(page, 'Rule', 'FREQ=SECONDLY');
    await preview.getByText('“Rule”').waitFor();
    await press(page, 'Create the series');
    await page.getByRole('alert').filter({ hasText: '“Rule”' }).first().waitFor();
    await choose(page, 'Repeats', 'On a day of each month');
    await choose(page, 'Day of the month', 'the last one');
    await press(page, 'Create the series');
    await page.getByRole('heading', { name: 'Weekly tea' }).waitFor();
    await says(page, 'On the last day of each month');
    await says(page, 'Each occurrence is listed here once its activity is created');
    const id = page.url().split('/').at(-1)!;
    expect((await campaign().get(`/v1/series/${id}`)).body).toMatchObject({
      ...{ name: 'Weekly tea', sponsorId: 'tea-series', rrule: 'FREQ=MONTHLY;BYMONTHDAY=-1', count: 10 },
      ...{ timeZone: 'Asia/Shanghai', durationSeconds: 3_600, createAheadHours: 24 },
    });
    // The browser's own lines about the refused rule.
    expect(complaints.every((line) => line.includes('400'))).toBe(true);
  });

  it('are changed, paused, resumed and ended, and keep the terms that the form does not have', async () => {
    const pace = { kind: 'even', until: `${inDays(1, '20:30:00')}Z` };
    const id = await seriesOf({ name: 'Steady', sponsorId: 'steady-series', parts: 1, pace });
    const { page } = await stage.staff(`/series/${id}`, 'campaign', { sub: 'marketing' });
    await page.getByRole('link', { name: 'Change the series' }).click();
    await page.getByRole('heading', { name: 'Change “Steady”' }).waitFor();
    expect(await page.getByLabel('How many times', { exact: true }).inputValue()).toBe('3');
    await fill(page, 'Total amount', '6.00');
    await press(page, 'Change the series');
    await page.getByRole('heading', { name: 'Steady Active', exact: true }).waitFor();
    const read = async () => (await campaign().get(`/v1/series/${id}`)).body;
    expect(await read()).toMatchObject({ totalAmount: '6.00', parts: 1, pace, rrule: 'FREQ=DAILY' });
    await confirm(page, 'Pause the series');
    await says(page, 'The series is paused.');
    expect((await read()).status).toBe('paused');
    await confirm(page, 'Resume the series');
    await says(page, 'The series continues.');
    await confirm(page, 'End the series');
    await says(page, 'The series has ended.');
    await page.getByRole('link', { name: 'Change the series' }).waitFor({ state: 'detached' });
    expect(await read()).toMatchObject({ status: 'ended' });
  });

  it('list the outcome of each occurrence, in both languages, and the page of an activity names its series', async () => {
    await stage.rain.operator().post('/v1/wallets/paid-series/deposits', { amount: '2.00' });
    const id = await seriesOf({ name: 'Paid once', sponsorId: 'paid-series', createAheadHours: 72 });
    const occurrences = async () => (await campaign().get(`/v1/series/${id}/occurrences`)).body.items;
    await waitFor(async () => (await occurrences()).length === 1, { what: 'the first occurrence' });
    const [{ activityId }] = await occurrences();
    const refusal = async () => (await campaign().get(`/v1/series/${id}`)).body.next.refusal;
    await waitFor(async () => (await refusal()) !== undefined, { what: 'the empty wallet' });
    // Moves everything ten days back, including decided occurrences, which only a replica may change.
    await stage.rain.sql(
      `begin;
       set local session_replication_role = replica;
       update series_occurrence set opens_at = opens_at - interval '10 days' where series_id = ${id};
       update series set start = to_char(start::timestamp - interval '10 days', 'YYYY-MM-DD"T"HH24:MI:SS'),
                         next_opens_at = next_opens_at - interval '10 days', look_at = now()
        where id = ${id};
       commit;`,
    );
    await waitFor(async () => (await occurrences()).length === 3, { what: 'the missed occurrences' });
    const { page } = await stage.staff(`/series/${id}`, 'campaign', { sub: 'marketing' });
    await says(page, 'The wallet of the sponsor held too little.');
    await says(page, 'No program was running in time.');
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('button', { name: '中文' }).click();
    await page.getByRole('cell', { name: '发起方的钱包余额不足。' }).first().waitFor();
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('link', { name: `Activity ${activityId}` }).click();
    await page.getByText('From the series').getByRole('link', { name: 'Paid once' }).click();
    await page.getByRole('heading', { name: 'Paid once' }).waitFor();
  });

  it('say that there are none or that one does not exist, and are shown only to roles that manage them', async () => {
    const { page } = await stage.staff('/series?sponsor=nobody-at-all', 'campaign', { sub: 'marketing' });
    await says(page, 'Nothing fits these filters.');
    await page.goto(`${stage.rain.url}/console/series/999999`);
    await page.getByRole('alert').waitFor();
    const { page: other } = await stage.staff('/series', 'finance');
    await says(other, 'Series: not for your role');
    expect(await other.getByRole('link', { name: 'Series' }).count()).toBe(0);
  });
}
