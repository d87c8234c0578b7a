import { bareActivities } from '../harness/bare-activities';
import { rain, shareRain } from '../harness/shared-books';

shareRain();

it('The sweeper reloads every activity if Redis has lost more than one step of the sweep covers', async () => {
  const ids = await bareActivities((sql, values) => rain.books.dataSource.query(sql, values), 1_050);
  await rain.dispensing.redis.flushall();
  await rain.sweep();
  const standings = await rain.dispensing.standings.untilPackets(ids.map((id) => ({ id, parts: 1 })));
  expect(standings.filter((standing) => standing?.status === 'open')).toHaveLength(ids.length);
});
