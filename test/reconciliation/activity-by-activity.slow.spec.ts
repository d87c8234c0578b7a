import type { History } from '../harness/history';
import { books, rain, shareRain } from '../harness/shared-books';
import { writeWholeHistory } from '../harness/whole-history';
import { BREACH_TABLE, withIds } from './breaches';
import { within } from './verifying';

let history: History;

shareRain();

beforeAll(async () => {
  history = await writeWholeHistory(rain);
});

/** Resets the age of the unpaid claim, however long the earlier tests took. */
beforeEach(() => books.dataSource.query('update unsettled_claim set queued_at = now()'));

describe('verification activity by activity', () => {
  it.each(BREACH_TABLE)('finds $what', async ({ id, sql }) => {
    const { findings } = await books.undoing(async (tx) => {
      for (const statement of sql) await tx.query(withIds(history, statement));
      return within(tx).verifyUnsealed();
    });
    expect(findings.filter(({ breaches }) => breaches > 0).map((finding) => finding.id)).toContain(id);
  });
});
