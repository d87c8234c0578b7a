import { ErasureRepository } from '../../src/extensions/erasure/erasure.repository';
import { ErasureWatch } from '../../src/extensions/erasure/erasure-watch';
import { Metrics } from '../../src/platform/telemetry';
import { books, shareRain } from '../harness/shared-books';
import { erase, requestErasure } from './erasing';

shareRain();

const DAY_SECONDS = 86_400;

it('the metric of the alert is the age of the oldest request that was not carried out yet, and 0 without a request', async () => {
  const metrics = new Metrics();
  const watch = new ErasureWatch(books.serviceOf(ErasureRepository), metrics);
  const days = async () => {
    await watch.measure();
    const line = (await metrics.expose()).split('\n').find((text) => /^hongbao_erasures_oldest_/.test(text));
    return Math.floor(Number(line!.split(' ')[1]) / DAY_SECONDS);
  };
  const ask = async (id: string, daysAgo: number) => {
    await requestErasure(id);
    await books.dataSource.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await tx.query(
        `with asked as (update erasure set requested_at = requested_at - make_interval(days => $2)
                         where user_id = $1 returning requested_at)
         update approval set decided_at = requested_at from asked where subject_id = $1`,
        [id, daysAgo],
      );
    });
  };
  expect(await days()).toBe(0);
  await ask('waits-longest', 9);
  await ask('waits-too', 3);
  expect(await days()).toBe(9);
  await books.deposit('waits-too', 1n);
  expect(await erase()).toBe(1);
  expect(await days()).toBe(3);
});
