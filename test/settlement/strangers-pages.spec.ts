import { FairnessRepository } from '../../src/extensions/fairness/fairness.repository';
import { FairnessService } from '../../src/extensions/fairness/fairness.service';
import { encodeCursor } from '../../src/platform/http';
import { codeOf } from '../harness/problems';
import { books, shareBooks } from '../harness/shared-books';

shareBooks();

const [GREEDY, HONEST] = ['192.0.2.1', '192.0.2.2'];
/** Queries that may wait or run at once for one address. */
const QUERIES_PER_ADDRESS = 8;

const fairness = (): FairnessService => books.serviceOf(FairnessService);
const after = (batchNo: number): string => encodeCursor(String(batchNo));

const read = (address: string, id: string, limit = 20, cursor?: string) =>
  fairness().forStranger(address, id, { limit, cursor });

/** The queries of requests that all arrive before the first query is answered. */
async function whileLocked(ask: () => Promise<string>[]): Promise<{ codes: string[]; queries: unknown[][] }> {
  const queries = jest.spyOn(books.serviceOf(FairnessRepository), 'batches');
  const unlock = await books.hold((tx) => tx.query('lock table packet_batch in access exclusive mode'));
  try {
    const answers = ask();
    await unlock();
    const codes = await Promise.all(answers);
    return { codes, queries: queries.mock.calls.map(([id, from]) => [id, from]) };
  } finally {
    queries.mockRestore();
  }
}

describe('pages of fairness without a token', () => {
  it('share one query about an activity, whatever limit and cursor they have, and requests about others have their own', async () => {
    const [id, other] = [await books.activity({ packets: 2 }), await books.activity({ packets: 2 })];
    const { codes, queries } = await whileLocked(() => [
      ...Array.from({ length: 100 }, (_, i) => codeOf(read(GREEDY, id, i + 1))),
      ...Array.from({ length: 100 }, (_, i) => codeOf(read(GREEDY, id, 1 + (i % 100), after(i * 99_999)))),
      codeOf(read(HONEST, other)),
    ]);
    expect(new Set(codes)).toEqual(new Set(['done']));
    expect(queries).toEqual([
      [id, 0],
      [other, 0],
    ]);
  });

  it('leave room for other addresses, however many activities one address asks about', async () => {
    const ids: string[] = [];
    for (let i = 0; i < QUERIES_PER_ADDRESS + 3; i++) ids.push(await books.activity({ packets: 2 }));
    const refused = ids.at(-2)!;
    const { codes } = await whileLocked(() => [
      ...ids.slice(0, -1).map((id) => codeOf(read(GREEDY, id))),
      codeOf(read(HONEST, ids.at(-1)!)),
      codeOf(read(HONEST, refused)),
    ]);
    const served = Array<string>(QUERIES_PER_ADDRESS).fill('done');
    expect(codes).toEqual([...served, 'busy', 'busy', 'done', 'done']);
    expect(await codeOf(read(GREEDY, refused))).toBe('done');
  });

  it('are the same as the pages of users, wherever they begin and end', async () => {
    const id = await books.activity({ packets: 2 });
    for (let i = 0; i < 101; i++) await books.topUp(id, { packets: 1 });
    const pages: [limit: number, cursor?: string][] = [
      ...[1, 20, 99, 100].map((limit): [number] => [limit]),
      ...[0, 47, 48, 50, 51, 98, 99, 100, 101, 102].map((no): [number, string] => [51, after(no)]),
      ...[0, 1, 9_999_999].map((no): [number, string] => [100, after(no)]),
    ];
    for (const [limit, cursor] of pages)
      expect([cursor, await read(HONEST, id, limit, cursor)]).toEqual([
        cursor,
        await fairness().ofActivity(id, { limit, cursor }),
      ]);
  });
});
