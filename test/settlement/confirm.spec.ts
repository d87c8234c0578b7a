import type { ConfirmVerdict } from '../../src/core/grab/confirm/claim.repository';
import { reservationOf } from '../harness/books';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

proveBooks();
shareBooks();

const confirm = async (activityId: string, userId: string, packetNo: number): Promise<ConfirmVerdict> =>
  (await books.claims.confirm([reservationOf(activityId, userId, packetNo)]))[0]!;

async function claimCount(activityId: string): Promise<number> {
  const [row]: { count: string }[] = await books.dataSource.query(
    `select count(*) from claim join unsettled_claim on claim_id = claim.id where claim.activity_id = $1`,
    [activityId],
  );
  return Number(row!.count);
}

const claimIdsOf = (verdicts: readonly ConfirmVerdict[]): string[] =>
  verdicts.flatMap((verdict) => (verdict.kind === 'confirmed' ? (verdict.claimId ?? []) : []));

describe('a confirmation', () => {
  it('takes the amount from the packet, whatever Redis says', async () => {
    const activityId = await books.activity({ packets: 2, totalMinor: 333n });
    const [, second] = await books.packetAmounts(activityId);
    expect(await confirm(activityId, 'ann', 2)).toMatchObject({
      kind: 'confirmed',
      packet: { no: 2, amountMinor: second },
    });
    expect((await books.wonPackets.findClaim(activityId, 'ann'))?.amountMinor).toBe(second);
  });

  it('gives the same answer to a repeated reservation, and makes one claim', async () => {
    const activityId = await books.activity({ packets: 1 });
    const first = await confirm(activityId, 'ann', 1);
    const second = await confirm(activityId, 'ann', 1);

    expect(first).toEqual({
      kind: 'confirmed',
      packet: { no: 1, amountMinor: 100n },
      claimId: expect.any(String),
    });
    expect(second).toEqual({ kind: 'confirmed', packet: { no: 1, amountMinor: 100n } });
    expect(await claimCount(activityId)).toBe(1);
  });

  it('writes each claim once if many confirm the same reservations at once', async () => {
    const activityId = await books.activity({ packets: 30 });
    const batch = Array.from({ length: 30 }, (_, i) => reservationOf(activityId, `user-${i}`, i + 1));
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => books.claims.confirm([...batch, ...batch])),
    );

    expect(answers.flat().every(({ kind }) => kind === 'confirmed')).toBe(true);
    expect(claimIdsOf(answers.flat())).toHaveLength(30);
    expect(await claimCount(activityId)).toBe(30);
  });

  it('gives one packet to one of two users, and names its owner to the other', async () => {
    const activityId = await books.activity({ packets: 1 });
    await confirm(activityId, 'ann', 1);
    expect(await confirm(activityId, 'bob', 1)).toEqual({
      kind: 'taken',
      ownerId: 'ann',
      packet: { no: 1, amountMinor: 100n },
    });
  });

  it('gives one packet to one of many users at once, and names the same owner to all others', async () => {
    for (let round = 0; round < 15; round++) {
      const activityId = await books.activity({ packets: 1 });
      const users = Array.from({ length: 8 }, (_, i) => `rival-${i}`);
      const verdicts = await Promise.all(users.map((user) => confirm(activityId, user, 1)));

      const winner = users[verdicts.findIndex(({ kind }) => kind === 'confirmed')];
      expect(verdicts.filter(({ kind }) => kind === 'confirmed')).toHaveLength(1);
      expect(
        verdicts.filter((verdict) => verdict.kind === 'taken' && verdict.ownerId === winner),
      ).toHaveLength(7);
    }
  });

  it('names the first of two packets for one user, and says whether the second is free', async () => {
    const activityId = await books.activity({ packets: 3 });
    const amounts = await books.packetAmounts(activityId);
    await confirm(activityId, 'ann', 1);
    await confirm(activityId, 'bob', 2);
    const packet = { no: 1, amountMinor: amounts[0] };

    expect(await confirm(activityId, 'ann', 3)).toEqual({
      kind: 'holds-other',
      packet,
      reservedIsFree: true,
    });
    expect(await confirm(activityId, 'ann', 2)).toEqual({
      kind: 'holds-other',
      packet,
      reservedIsFree: false,
    });
    expect(await confirm(activityId, 'ann', 99)).toEqual({
      kind: 'holds-other',
      packet,
      reservedIsFree: false,
    });
  });

  it('gives one user one of many packets at once, and every refusal names it', async () => {
    for (let round = 0; round < 15; round++) {
      const activityId = await books.activity({ packets: 8 });
      const verdicts = await Promise.all(
        [1, 2, 3, 4, 5, 6, 7, 8].map((no) => confirm(activityId, 'greedy', no)),
      );

      const kept = verdicts.findIndex(({ kind }) => kind === 'confirmed') + 1;
      const others = verdicts.filter((verdict) => verdict.kind === 'holds-other');
      expect(others).toHaveLength(7);
      expect(others.every(({ packet, reservedIsFree }) => packet.no === kept && reservedIsFree)).toBe(true);
      expect(await claimCount(activityId)).toBe(1);
    }
  });

  it.each([2, 0, -1, 2_000_000_000])(
    'does not make a claim on packet %i, which does not exist',
    async (packetNo) => {
      const activityId = await books.activity({ packets: 1 });
      expect(await confirm(activityId, 'ann', packetNo)).toEqual({ kind: 'unknown-packet' });
      expect(await claimCount(activityId)).toBe(0);
    },
  );

  it('does not make a claim in an activity that does not exist', async () => {
    expect(await confirm('999999999', 'ann', 1)).toEqual({ kind: 'unknown-packet' });
  });

  it('answers every reservation of a mixed batch in its place', async () => {
    const activityId = await books.activity({ packets: 5 });
    const other = await books.activity({ packets: 1 });
    await books.claim(activityId, ['ann', 'bob']);

    const verdicts = await books.claims.confirm([
      reservationOf(activityId, 'cem', 1),
      reservationOf(other, 'ann', 1),
      reservationOf(activityId, 'ann', 1),
      reservationOf(activityId, 'bob', 3),
      reservationOf(activityId, 'dan', 4),
      reservationOf(activityId, 'eve', 4),
      reservationOf(activityId, 'dan', 5),
      reservationOf(activityId, 'fay', 6),
    ]);

    expect(verdicts).toMatchObject([
      { kind: 'taken', ownerId: 'ann' },
      { kind: 'confirmed', claimId: expect.any(String) },
      { kind: 'confirmed', packet: { no: 1 } },
      { kind: 'holds-other', packet: { no: 2 }, reservedIsFree: true },
      { kind: 'confirmed', packet: { no: 4 } },
      { kind: 'taken', ownerId: 'dan' },
      { kind: 'holds-other', packet: { no: 4 }, reservedIsFree: true },
      { kind: 'unknown-packet' },
    ]);
    expect(claimIdsOf(verdicts)).toHaveLength(2);
  });
});
