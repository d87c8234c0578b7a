import { FairnessService } from '../../src/extensions/fairness/fairness.service';
import { ClosingRepository } from '../../src/core/lifecycle/close/closing.repository';
import { books, dispensing, rain, shareRain } from '../harness/shared-books';

shareRain();

/** The seeds of all batches of an activity, as published. */
async function seedsOf(id: string): Promise<(string | null)[]> {
  const { batches } = await books.serviceOf(FairnessService).ofActivity(id, { limit: 10 });
  return batches.map(({ seed }) => seed);
}

async function openWithTopUp(): Promise<string> {
  const id = await books.activity({ packets: 2 });
  await books.topUp(id, { packets: 2 });
  await rain.loader.load(id);
  return id;
}

const pass = (id: string, column: 'opens_at' | 'closes_at', interval: string) =>
  books.dataSource.query(`update activity set ${column} = now() - $2::interval where id = $1`, [
    id,
    interval,
  ]);

describe('the seeds of a rain and of its top-ups', () => {
  it('stay secret after closesAt until the end is decided and no drawn packet is undecided, because users may still win', async () => {
    const id = await openWithTopUp();
    expect(await seedsOf(id)).toEqual([null, null]);
    await dispensing.draw(id, 'ann');
    await pass(id, 'opens_at', '2 hours');
    await pass(id, 'closes_at', '1 hour');
    expect(await seedsOf(id)).toEqual([null, null]);

    await books.serviceOf(ClosingRepository).intend(id, 'after-closing');
    expect(await seedsOf(id)).toEqual([null, null]);
    await rain.journal.drain(dispensing.keys.placeOf(id));
    expect(await books.wonPackets.findClaim(id, 'ann')).toBeDefined();
    expect(await seedsOf(id)).toEqual([null, null]);

    expect(await rain.end(id, 'after-closing')).toBe(true);
    expect(await seedsOf(id)).toEqual([expect.any(String), expect.any(String)]);
  });

  it('are revealed by a close before closesAt', async () => {
    const id = await openWithTopUp();
    expect(await rain.end(id)).toBe(true);
    expect(await seedsOf(id)).toEqual([expect.any(String), expect.any(String)]);
  });
});
