import { CodePoolService } from '../../src/extensions/code-pool/code-pool.service';
import { CodeUploadService } from '../../src/extensions/code-pool/code-upload.service';
import { TIME_LIMITS } from '../../src/platform/postgres/time-limits';
import { requestOf } from '../harness/books';
import { waitFor } from '../harness/engines';
import { books, shareRain } from '../harness/shared-books';

shareRain();

it('a file of codes that arrives more slowly than a transaction may usually rest is taken whole', async () => {
  const operator = () => requestOf('operator', 'operator');
  const { id } = await books
    .serviceOf(CodePoolService)
    .create(operator(), { name: 'Slow', sponsorId: 'slow' });
  const rests = async (ms: number): Promise<boolean> => {
    const rows = await books.dataSource.query<unknown[]>(
      `select from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'
          and state_change < clock_timestamp() - make_interval(secs => $1)`,
      [ms / 1000],
    );
    return rows.length > 0;
  };
  async function* arriving() {
    yield Buffer.from(Array.from({ length: 600 }, (_, i) => `first-${i}\n`).join(''));
    const longerThan = TIME_LIMITS.idle_in_transaction_session_timeout + 1_000;
    await waitFor(() => rests(longerThan), { what: 'an upload that rests' });
    yield Buffer.from('last\n');
  }
  const upload = books.serviceOf(CodeUploadService).upload(operator(), id, 'csv', arriving());
  expect(await upload).toEqual({ count: 601, uploaded: 601 });
});
