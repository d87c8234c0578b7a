import { reservationOf, sum } from '../harness/books';
import { waitFor } from '../harness/engines';
import { books, proveBooks, rain, shareRain } from '../harness/shared-books';

proveBooks();
shareRain();

async function claimCount(activityId: string): Promise<number> {
  const [row]: { count: number }[] = await books.dataSource.query(
    `select count(*)::integer as count from claim where activity_id = $1`,
    [activityId],
  );
  return row!.count;
}

describe('a close', () => {
  /** Draws and confirms, user by user, until the rain is over; returns how many won. */
  async function grabUntilClosed(activityId: string, name: string): Promise<number> {
    for (let won = 0; ; won++) if ((await rain.grab(activityId, `${name}-${won}`)).length === 0) return won;
  }

  it('succeeds while eight users at a time confirm without a pause, and all of them are in time or refused', async () => {
    const activityId = await rain.openRain({ packets: 50_000, totalMinor: 50_000n });
    const rushing = Array.from({ length: 8 }, (_, i) => grabUntilClosed(activityId, `rush-${i}`));
    await waitFor(async () => (await claimCount(activityId)) > 100, { what: 'a rush' });

    expect(await rain.end(activityId)).toBe(true);
    const won = sum((await Promise.all(rushing)).map(BigInt));
    expect(await claimCount(activityId)).toBe(Number(won));
    expect(await books.refundsOf(activityId)).toEqual([50_000n - won]);
  });
});

describe('a confirmation that races a close', () => {
  it('is in time or refused, even while packets are added', async () => {
    for (let round = 0; round < 15; round++) {
      const activityId = await books.activity({ packets: 6, sponsorId: `sponsor-${round}` });
      const toppingUp = books.topUp(activityId, { packets: 2 }).then(
        () => 2,
        () => 0,
      );
      const closing = round % 2 === 0 ? rain.end(activityId) : toppingUp.then(() => rain.end(activityId));
      const verdicts = (
        await Promise.all(
          [1, 2, 3, 4].map((no) => books.claims.confirm([reservationOf(activityId, `racer-${no}`, no)])),
        )
      ).flat();
      await closing;

      const claimed = verdicts.flatMap((verdict) =>
        verdict.kind === 'confirmed' ? [verdict.packet.amountMinor] : [],
      );
      const total = BigInt(6 + (await toppingUp)) * 100n;
      expect(sum(await books.refundsOf(activityId))).toBe(total - sum(claimed));
      expect(await books.balance(activityId, 'escrow')).toBe(sum(claimed));
    }
  });
});
