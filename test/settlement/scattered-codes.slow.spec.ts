import { CodePoolService } from '../../src/extensions/code-pool/code-pool.service';
import { CodeReturnSweep } from '../../src/extensions/code-pool/code-return-sweep';
import { requestOf } from '../harness/books';
import { books, rain, shareRain } from '../harness/shared-books';

const PACKETS = 1_000_000;
const AT_ONCE = 25_000;

shareRain();

it('half a million scattered codes are returned by statements that stay within their timeout', async () => {
  const body = { name: 'Scattered', sponsorId: 'giver' };
  const pool = await books.serviceOf(CodePoolService).create(requestOf('operator', 'operator'), body);
  const activityId = await books.activity({ packets: 1, totalMinor: 1n, split: { kind: 'equal' } });
  await rain.end(activityId);
  await books.dataSource.query('insert into code_reserved values ($1, 1, $2, 1, $3)', [
    activityId,
    pool.id,
    PACKETS,
  ]);
  const runner = books.dataSource.createQueryRunner();
  await runner.query('set session_replication_role = replica');
  for (let won = 0; won < PACKETS / 2; won += AT_ONCE)
    await runner.query(
      `insert into claim (activity_id, user_id, packet_no, amount_minor)
       select $1, 'winner-' || no, 2 * no, 1 from generate_series($2::integer + 1, $2 + ${AT_ONCE}) as no`,
      [activityId, won],
    );
  await runner.query('set session_replication_role = origin');
  await runner.release();

  await rain.worker.get(CodeReturnSweep).sweep(new AbortController().signal);
  const free = await books.dataSource.query(
    'select count(*)::integer as ranges, sum(count)::integer as codes from code_free where pool_id = $1',
    [pool.id],
  );
  expect(free).toEqual([{ ranges: PACKETS / 2, codes: PACKETS / 2 }]);
}, 300_000);
