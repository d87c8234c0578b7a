import { ClaimRepository, type ConfirmVerdict } from '../../src/core/grab/confirm/claim.repository';
import { reservationOf, sum } from '../harness/books';
import { waitFor } from '../harness/engines';
import { books, rain, shareRain } from '../harness/shared-books';

shareRain();

afterEach(async () => {
  const backlog = await books.settlements.backlog();
  if (backlog) await books.settlement.settle(await books.settlements.unsettledUpTo(backlog.last, 10_000));
  expect(await books.broken()).toEqual([]);
});

const confirm = (activityId: string, userId: string, packetNo: number): Promise<ConfirmVerdict[]> =>
  books.claims.confirm([reservationOf(activityId, userId, packetNo)]);

describe('a confirmation after the close', () => {
  it('is refused, and changes no money', async () => {
    const activityId = await books.activity({ packets: 2 });
    await confirm(activityId, 'ann', 1);
    await rain.end(activityId);
    const escrow = await books.balance(activityId, 'escrow');

    expect(await confirm(activityId, 'bob', 2)).toEqual([{ kind: 'closed' }]);
    expect(await books.balance(activityId, 'escrow')).toBe(escrow);
  });

  it('returns the claim that was made in time', async () => {
    const activityId = await books.activity({ packets: 1 });
    await confirm(activityId, 'ann', 1);
    await rain.end(activityId);
    expect(await confirm(activityId, 'ann', 1)).toMatchObject([{ kind: 'confirmed', packet: { no: 1 } }]);
  });
});

describe('a confirmation that races the close', () => {
  it('is in time or refused: the refund is exactly the money that no user has', async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 60; round++) {
      const activityId = await books.activity({ packets: 8, totalMinor: 1_000n });
      const amounts = await books.packetAmounts(activityId);
      const confirming = () => [1, 2, 3, 4, 5, 6].map((no) => confirm(activityId, `racer-${no}`, no));
      const early = round % 3 === 0 ? [] : confirming();
      const closing = rain.end(activityId);
      const late = round % 3 === 1 ? [] : confirming();
      const last = closing.then(() => confirm(activityId, 'racer-7', 7));
      const verdicts = (await Promise.all([...early, ...late, last])).flat();

      const confirmed = new Map(
        verdicts.flatMap((verdict) =>
          verdict.kind === 'confirmed' ? [[verdict.packet.no, verdict.packet]] : [],
        ),
      );
      const claimed = sum([...confirmed.keys()].map((no) => amounts[no - 1]!));
      expect(await books.refundsOf(activityId)).toEqual([1_000n - claimed]);
      expect(await books.balance(activityId, 'escrow')).toBe(claimed);
      verdicts.forEach(({ kind }) => seen.add(kind));
    }
    expect(seen).toEqual(new Set(['confirmed', 'closed']));
  });

  it('makes the refund wait if it comes first, and its claim is not refunded', async () => {
    const activityId = await books.activity({ packets: 2, totalMinor: 500n });
    const amounts = await books.packetAmounts(activityId);
    const commit = await books.hold(async (tx) => {
      const claims = new ClaimRepository(tx, books.config);
      expect(await claims.confirm([reservationOf(activityId, 'ann', 1)])).toMatchObject([
        { kind: 'confirmed' },
      ]);
    });
    const closing = rain.end(activityId);
    await waitFor(async () => (await books.blocked()).length === 1, { what: 'the close to wait' });
    await commit();

    expect(await closing).toBe(true);
    expect(await books.refundsOf(activityId)).toEqual([amounts[1]]);
  });

  it('waits for the refund and is refused if it comes second', async () => {
    const activityId = await books.activity({ packets: 2, totalMinor: 500n });
    const commit = await books.hold((tx) => rain.closing.refund(tx, activityId, 'closed'));
    const confirming = confirm(activityId, 'ann', 1);
    await waitFor(async () => (await books.blocked()).length === 1, { what: 'the confirmation to wait' });
    await commit();

    expect(await confirming).toEqual([{ kind: 'closed' }]);
    expect(await books.refundsOf(activityId)).toEqual([500n]);
  });
});

describe('the refund', () => {
  it('is paid once if ten closers work at the same time', async () => {
    const activityId = await books.activity({ packets: 3, totalMinor: 900n, sponsorId: 'generous' });
    await Promise.all(Array.from({ length: 10 }, () => rain.end(activityId)));
    expect(await books.refundsOf(activityId)).toEqual([900n]);
    expect(await books.balance('generous')).toBe(900n);
  });

  it('does not happen if every packet is claimed', async () => {
    const activityId = await books.activity({ packets: 2 });
    await books.claim(activityId, ['ann', 'bob']);
    await rain.end(activityId);
    expect(await books.refundsOf(activityId)).toEqual([]);
  });

  it('leaves the money owed to winners in escrow, from which they are paid afterwards', async () => {
    const activityId = await books.activity({ packets: 3 });
    const amounts = await books.packetAmounts(activityId);
    const claimIds = await books.claim(activityId, ['late-1', 'late-2']);
    await rain.end(activityId);
    expect(await books.balance(activityId, 'escrow')).toBe(amounts[0]! + amounts[1]!);
    expect(await books.settlement.settle(claimIds)).toMatchObject({ paid: 2 });
    expect(await books.balance(activityId, 'escrow')).toBe(0n);
  });

  it('excludes a packet that was drawn but not confirmed before the close: it is confirmed, and its user keeps it', async () => {
    const activityId = await rain.openRain({ packets: 3 });
    const amounts = await books.packetAmounts(activityId);
    await rain.dispensing.draw(activityId, 'vanished');
    await rain.end(activityId);

    const claim = await books.wonPackets.findClaim(activityId, 'vanished');
    expect(claim?.amountMinor).toBe(amounts[(claim?.packetNo ?? 0) - 1]);
    expect(await books.refundsOf(activityId)).toEqual([sum(amounts) - claim!.amountMinor]);
  });
});
