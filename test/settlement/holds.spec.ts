import { books, dispensing, proveBooks, rain, shareRain } from '../harness/shared-books';

proveBooks();
shareRain();

async function statesOf(activityId: string): Promise<Record<string, string>> {
  const claims = await books.wonPackets.listOfActivity(activityId, 0, 100);
  return Object.fromEntries(claims.map(({ userId, settlement }) => [userId, settlement]));
}

async function claimOf(activityId: string, userId: string): Promise<string> {
  return (await books.wonPackets.findClaim(activityId, userId))!.id;
}

async function settleAll(activityId: string): Promise<void> {
  const claims = await books.wonPackets.listOfActivity(activityId, 0, 100);
  await books.settlement.settle(claims.map(({ id }) => id));
}

const hold = (claimId: string) =>
  books.dataSource.transaction((tx) => books.letters.hold(tx, claimId, 'Too lucky.'));

/** Makes a held win of ann. */
async function heldWin(packets = 1) {
  const activityId = await rain.openRain({ packets });
  const shard = dispensing.keys.shardOf(activityId);
  await dispensing.reservations.draw(shard, [{ activityId, hold: true, userIds: ['ann'] }]);
  await rain.recover();
  const claimId = await claimOf(activityId, 'ann');
  const letter = (await books.letters.list('open', undefined, 1, { activityId }))[0]!;
  return { activityId, claimId, letter };
}

describe('a win that has to be held is held even if the process dies before its confirmation,', () => {
  it('drawn alone, or together with wins of the same activity that are not held', async () => {
    const activityId = await rain.openRain({ packets: 4 });
    const shard = dispensing.keys.shardOf(activityId);
    await dispensing.reservations.draw(shard, [{ activityId, hold: true, userIds: ['ann'] }]);
    await dispensing.reservations.draw(shard, [
      { activityId, userIds: ['bob'] },
      { activityId, hold: true, userIds: ['cid', 'ann'] },
    ]);
    await rain.recover();
    expect(await statesOf(activityId)).toEqual({ ann: 'held', bob: 'pending', cid: 'held' });
    await settleAll(activityId);
    expect(await statesOf(activityId)).toEqual({ ann: 'held', bob: 'credited', cid: 'held' });
    expect(await books.balance('ann')).toBe(0n);
  });

  it('drawn from a part', async () => {
    const activityId = await rain.openRain({ packets: 8, parts: 4 });
    const [place] = dispensing.keys.placesOf({ id: activityId, parts: 4 });
    const draw = { activityId, parts: 4, userIds: ['ann'] };
    await dispensing.reservations.drawFromParts(place!.shard, [{ ...draw, hold: true }]);
    await dispensing.reservations.drawFromParts(place!.shard, [{ ...draw, userIds: ['bob'] }]);
    await rain.recover();
    expect(await statesOf(activityId)).toEqual({ ann: 'held', bob: 'pending' });
  });

  it('given to a waiting user, even after they have returned to their old place', async () => {
    const activityId = await rain.openRain({ packets: 1 });
    await rain.grab(activityId, 'ann');
    for (const [user, isHeld] of [
      ['bob', true],
      ['cid', false],
      ['dan', true],
    ] as const)
      expect((await dispensing.waitingLists.join(activityId, user, 10, 1, isHeld)).kind).toBe('waiting');
    await rain.topUp(activityId, { packets: 1 });
    const [bob] = await dispensing.waitingLists.assign(activityId, 10);
    await dispensing.reservations.acknowledge(bob!.shard, [], [bob!.entry!.id]);
    await dispensing.reservations.release({ ...bob!, fate: 'return', waitsSince: bob!.waitedSince });
    expect(await dispensing.waitingLists.place(activityId, 'bob')).toEqual({ position: 1, length: 3 });
    await rain.topUp(activityId, { packets: 1 });
    const again = await dispensing.waitingLists.assign(activityId, 10);
    expect(again.map(({ userId, hold: isHeld }) => [userId, isHeld])).toEqual([
      ['bob', true],
      ['cid', false],
    ]);
    await rain.topUp(activityId, { packets: 1 });
    expect(await dispensing.draw(activityId, 'dan')).toMatchObject([{ kind: 'won' }]);
    await rain.recover();
    expect(await statesOf(activityId)).toEqual({ ann: 'pending', bob: 'held', cid: 'pending', dan: 'held' });
  });
});

describe('a held claim', () => {
  it('is paid once after its release, and is skipped when letters are replayed with a filter that does not name held claims', async () => {
    const { activityId, claimId, letter } = await heldWin();
    const many = (filter: object) =>
      books.dataSource.transaction((tx) => books.letters.replayMany(tx, filter, 100));
    expect(await many({ activityId })).toEqual([]);
    await settleAll(activityId);
    expect(await statesOf(activityId)).toEqual({ ann: 'held' });
    expect(await many({ activityId, reason: 'held' })).toEqual([claimId]);
    expect(await books.replay(letter.id)).toBeUndefined();
    const before = await books.balance('ann');
    await Promise.all([settleAll(activityId), settleAll(activityId)]);
    expect(await books.balance('ann')).toBe(before + letter.amountMinor);
  });

  it('is one also if its payment had failed before, and is a dead letter like others if its payment fails after its release', async () => {
    const activityId = await books.activity({ packets: 1 });
    const [claimId] = await books.claim(activityId, ['eve']);
    const many = () => books.dataSource.transaction((tx) => books.letters.replayMany(tx, { activityId }, 1));
    await books.setStatus('eve', 'frozen');
    await settleAll(activityId);
    expect(await many()).toEqual([claimId]);
    const letter = await hold(claimId!);
    expect(await statesOf(activityId)).toEqual({ eve: 'held' });
    expect(await many()).toEqual([]);
    await books.replay(letter!.id);
    await settleAll(activityId);
    expect(await statesOf(activityId)).toEqual({ eve: 'dead-letter' });
    expect(await many()).toEqual([claimId]);
  });

  it('keeps its money in escrow after its activity closes, until it is declared void', async () => {
    const { activityId, letter } = await heldWin(3);
    await rain.end(activityId);
    expect(await books.balance(activityId, 'escrow')).toBe(letter.amountMinor);
    expect(await books.activities.findActivity(activityId)).toMatchObject({
      status: 'closed',
      settled: false,
    });
    const before = await books.balance('sponsor');
    await books.declareVoid(letter.id);
    expect(await books.balance('sponsor')).toBe(before + letter.amountMinor);
    expect(await statesOf(activityId)).toEqual({ ann: 'void' });
    expect(await books.activities.findActivity(activityId)).toMatchObject({ settled: true });
  });

  it('was not paid, and a paid claim is not held, if staff and settlement act at once', async () => {
    const activityId = await books.activity({ packets: 8 });
    const users = Array.from({ length: 8 }, (_, i) => `racer-${i}`);
    const claimIds = await books.claim(activityId, users);
    const [letters] = await Promise.all([
      Promise.all(claimIds.map((id) => hold(id))),
      Promise.all(claimIds.map((id) => books.settlement.settle([id]))),
    ]);
    const states = await statesOf(activityId);
    expect(users.map((user) => states[user])).toEqual(
      letters.map((letter) => (letter ? 'held' : 'credited')),
    );
    expect(await hold(claimIds[0]!)).toBeUndefined();
  });
});
