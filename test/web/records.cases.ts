import { waitFor } from '../harness/engines';
import { seriousFaults } from './accessibility';
import type { Stage } from './stage';

export function recordsCases(stage: Stage): void {
  /** Two win and one comes too late; returns the activity once all of it is in Postgres. */
  async function played(sponsorId: string): Promise<string> {
    const { rain } = stage;
    const id = await rain.createActivity({ packetCount: 2, totalAmount: '4.00', sponsorId });
    for (const user of ['one', 'two', 'three']) await rain.user(user).post(`/v1/activities/${id}/grabs`);
    await rain.settled(id);
    const written = async () =>
      (await rain.sql(`select from tap_minute where activity_id = ${id} and won = 2 and sold_out = 1`))
        .length === 1;
    await waitFor(written, { what: 'the taps in Postgres' });
    return id;
  }

  it('the page of an activity draws its history, and compares it with that of the activity before', async () => {
    const [former, id] = [await played('chronicle'), await played('chronicle')];
    const { page, complaints } = await stage.staff(`/activities/${id}/history`, 'campaign');
    const history = page.getByRole('region', { name: 'History', exact: true });
    await history
      .getByRole('img', { name: /Taps, wins and credits per minute, at most [1-3] taps/ })
      .waitFor();
    const compared = history.getByRole('region', { name: /^Compared with/ });
    const lineOf = (name: string) =>
      compared.getByRole('row').filter({ hasText: name }).getByRole('cell').allInnerTexts();
    await history.getByRole('link', { name: `Previous activity, ${former}` }).waitFor();
    expect(await lineOf('Wins')).toEqual(['2', '2']);
    expect(await lineOf('Sold out')).toEqual(['1', '1']);
    expect(await lineOf('Amount credited')).toEqual(['4.00 CNY', '4.00 CNY']);
    expect(await compared.getByRole('row').filter({ hasText: 'Reserved' }).count()).toBe(0);
    expect(await seriousFaults(page)).toEqual([]);
    await history.getByRole('link', { name: `Previous activity, ${former}` }).click();
    await history.getByText(`This activity, ${former}`).waitFor();
    expect(complaints).toEqual([]);
  });
}
