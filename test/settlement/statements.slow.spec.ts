import { backEndOf } from '../harness/books';
import { books, shareBooks } from '../harness/shared-books';

const LINES = Number(process.env.STATEMENT_LINES ?? 100_000);
const PLANTED = 7;
const AT = '2031-02-02T12:00:00Z';

describe('a long file of a channel', () => {
  shareBooks();

  it(`of ${LINES} lines gives exactly the findings that were planted`, async () => {
    const channelId = await books.createChannel();
    const first = await payPayouts(channelId);
    const head = 'payoutId,userId,amount,state,at\n';
    const take = (day: string, bytes: AsyncIterable<Uint8Array>) =>
      books.statements.take(backEndOf(channelId), channelId, day, 'csv', bytes);
    await take('2020-02-01', chunks([head]));

    /** Seven each are missing, repeated, of another amount, for another user, and never sent. */
    function* lines(): Generator<string> {
      yield head;
      const step = Math.floor(LINES / PLANTED);
      for (let n = 1; n <= LINES; n += 1) {
        const line = (user: string, amount: string, id = first + BigInt(n - 1)) =>
          `${id},${user},${amount},paid,${AT}\n`;
        const place = n % step;
        if (place === 1 && n <= step * PLANTED) continue;
        const wrong = n <= step * PLANTED ? place : -1;
        yield line(wrong === 4 ? 'somebody' : `u${n}`, wrong === 3 ? '7.11' : '7.10');
        if (wrong === 2) yield line(`u${n}`, '7.10');
        if (wrong === 5) yield line(`u${n}`, '7.10', 10n ** 15n + BigInt(n));
      }
    }
    let heapMax = 0;
    const watched = chunks(lines(), () => (heapMax = Math.max(heapMax, process.memoryUsage().heapUsed)));
    const before = process.memoryUsage().heapUsed;
    const startedMs = performance.now();
    const result = await take('2020-02-02', watched);
    const seconds = (performance.now() - startedMs) / 1_000;
    console.info(
      `${LINES} lines in ${seconds.toFixed(1)} s, heap ${Math.round((heapMax - before) / 2 ** 20)} MiB more`,
    );
    expect(result).toMatchObject({ lines: LINES + PLANTED, posted: 0, found: 5 * PLANTED });
    const found = await books.dataSource.query<{ kind: string; count: number }[]>(
      `select kind, count(*)::int as count from payout_finding where channel_id = $1 group by kind order by kind`,
      [channelId],
    );
    expect(found).toEqual([
      { kind: 'file-differs', count: 2 * PLANTED },
      { kind: 'never-sent', count: PLANTED },
      { kind: 'paid-but-missing', count: PLANTED },
      { kind: 'paid-twice', count: PLANTED },
    ]);
  });
});

/** Writes payouts of u1, u2 and so on. Returns the first of their ids, which have no gaps. */
async function payPayouts(channelId: string): Promise<bigint> {
  for (let from = 1; from <= LINES; from += 50_000)
    await books.dataSource.query(
      `insert into payout (channel_id, user_id, wallet_account_id, amount_minor, state, day, ended_at)
       select $1, 'u' || n, 1, 710, 'paid', '2020-02-01', '2020-02-01T12:00:00Z' from generate_series($2::int, $3::int) as n`,
      [channelId, from, Math.min(from + 49_999, LINES)],
    );
  const [{ first }] = await books.dataSource.query<[{ first: string }]>(
    `select min(id) as first from payout where channel_id = $1`,
    [channelId],
  );
  return BigInt(first);
}

async function* chunks(
  lines: Iterable<string>,
  note: () => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < 65_536) continue;
    note();
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}
