import { PACKET_COUNT_MAX, TOTAL_MINOR_MAX } from '../../libs/split';
import { GrabService } from '../../src/core/grab/tap/grab.service';
import { VoidService } from '../../src/core/lifecycle/void/void.service';
import { TidyingRepository } from '../../src/core/recovery/record/tidying.repository';
import { ActivityLoader } from '../../src/core/recovery/restore/activity-loader';
import { BestLuck } from '../../src/core/winners/best-luck';
import { LargestPackets } from '../../src/core/winners/largest-packets';
import { codeOf } from '../harness/problems';
import { requestOf, reservationOf, sum } from '../harness/books';
import { numbersOf } from '../harness/dispensing';
import { waitFor } from '../harness/engines';
import { books, dispensing, proveBooks, rain, shareRain } from '../harness/shared-books';

let serial = 0;

proveBooks();
shareRain();

beforeAll(async () => {
  await rain.sweep();
});

interface Buried {
  readonly activityId: string;
  readonly sponsor: string;
  readonly user: string;
  readonly claimId: string;
  readonly letterId: string;
}

/** Makes a rain of one packet of 0.80, whose payment was buried because the wallet was frozen. */
async function buried(): Promise<Buried> {
  serial += 1;
  const [user, sponsor] = [`robot-${serial}`, `sponsor-${serial}`];
  await books.setStatus(user, 'frozen');
  const activityId = await rain.openRain({ packets: 1, totalMinor: 80n, sponsorId: sponsor });
  const [verdict] = await rain.grab(activityId, user);
  const claimId = verdict?.kind === 'confirmed' ? verdict.claimId! : '0';
  await books.settlement.settle([claimId]);
  const [letter] = await books.letters.list('open', undefined, 1);
  expect(letter).toMatchObject({ claimId, status: 'open' });
  return { activityId, sponsor, user, claimId, letterId: letter!.id };
}

async function declareVoid({ letterId, activityId }: Buried, status?: 'open' | 'resolved') {
  const claim = await books.declareVoid(letterId, status);
  await rain.loader.extend(activityId);
  return claim;
}

async function pay(activityId: string, user: string): Promise<void> {
  const claim = await books.wonPackets.findClaim(activityId, user);
  await books.settlement.settle([claim!.id]);
}

const listedNos = async (activityId: string): Promise<number[]> =>
  numbersOf(await dispensing.listed(activityId));

describe('a claim that is declared void', () => {
  it('is replaced by a packet of the same amount, which another user draws and is paid', async () => {
    const one = await buried();
    expect(await declareVoid(one)).toMatchObject({
      letter: { claimId: one.claimId },
      replacement: { no: 2 },
    });
    expect(await listedNos(one.activityId)).toEqual([2]);

    const [verdict] = await rain.grab(one.activityId, 'ann');
    expect(verdict).toMatchObject({ kind: 'confirmed', packet: { no: 2, amountMinor: 80n } });
    const before = await books.balance('ann');
    await pay(one.activityId, 'ann');
    expect((await books.balance('ann')) - before).toBe(80n);
    expect(await books.balance(one.activityId, 'escrow')).toBe(0n);
    expect(await books.balance(one.sponsor)).toBe(0n);
  });

  it('never makes a "sold-out" false, even if the process died before Redis received the new packet', async () => {
    const one = await buried();
    const [api, others] = [await rain.openApi(), await rain.openApi()];
    others.get(ActivityLoader).onModuleInit();
    const grabs = others.get(GrabService);
    expect(await grabs.grab(one.activityId, 'cem')).toEqual({ kind: 'sold-out' });
    jest.spyOn(api.get(ActivityLoader), 'extend').mockRejectedValue(new Error('dead'));
    await api
      .get(VoidService)
      .declareVoid(requestOf('operator', 'operator'), one.letterId, { reason: 'a robot' });
    expect(await grabs.grab(one.activityId, 'cem')).toMatchObject({ kind: 'won', packet: { no: 2 } });
  });

  it('is never paid, whatever requests its payment', async () => {
    const one = await buried();
    await declareVoid(one);
    await books.setStatus(one.user, 'active');
    expect(await books.replay(one.letterId)).toBeUndefined();
    const replayMany = books.dataSource.transaction((tx) =>
      books.letters.replayMany(tx, { activityId: one.activityId }, 10),
    );
    expect(await replayMany).toEqual([]);
    expect(await books.settlement.settle([one.claimId])).toMatchObject({ paid: 0 });
    expect(await books.balance(one.user)).toBe(0n);
    expect(await books.wonPackets.findClaim(one.activityId, one.user)).toMatchObject({ settlement: 'void' });
  });

  it('does not give its user another chance, even after Redis has forgotten everything', async () => {
    const one = await buried();
    await declareVoid(one);
    expect(await dispensing.draw(one.activityId, one.user)).toMatchObject([
      { kind: 'already', packet: { no: 1 } },
    ]);
    await rain.rebuilder.rebuild(rain.dispensing.keys.placeOf(one.activityId));
    expect(await dispensing.draw(one.activityId, one.user)).toMatchObject([
      { kind: 'already', packet: { no: 1 } },
    ]);
    expect(await listedNos(one.activityId)).toEqual([2]);
  });

  it('may have been resolved before, if the operator who declares it void knows that, and is final', async () => {
    const one = await buried();
    await books.dataSource.transaction((tx) => books.letters.resolve(tx, one.letterId, 'paid by hand'));
    expect(await codeOf(declareVoid(one))).toBe('dead_letter.not_open');
    await declareVoid(one, 'resolved');
    expect(await books.letters.findLetter(one.letterId)).toMatchObject({
      status: 'void',
      resolution: 'a robot',
    });
    for (const status of ['open', 'resolved'] as const)
      expect(await codeOf(declareVoid(one, status))).toBe('dead_letter.not_open');
    const resolving = books.dataSource.transaction((tx) => books.letters.resolve(tx, one.letterId, 'again'));
    expect(await resolving).toBe(false);
    const reopening = `update dead_letter set status = 'open', resolution = null where id = $1`;
    await expect(books.dataSource.query(reopening, [one.letterId])).rejects.toThrow('never changed');
    expect(await books.packetAmounts(one.activityId)).toEqual([80n, 80n]);
  });

  it('has its replacement loaded into Redis by the sweep if its process died before doing so', async () => {
    const one = await buried();
    await books.declareVoid(one.letterId);
    expect(await listedNos(one.activityId)).toEqual([]);
    await rain.sweep();
    expect(await listedNos(one.activityId)).toEqual([2]);
  });

  it('returns its money to the sponsor, frozen or not, if the activity has ended', async () => {
    const one = await buried();
    await rain.end(one.activityId);
    expect((await books.activities.findActivity(one.activityId))?.settled).toBe(false);
    await books.setStatus(one.sponsor, 'frozen');
    expect((await declareVoid(one)).replacement).toBeUndefined();
    expect(await books.balance(one.sponsor)).toBe(80n);
    expect(await books.balance(one.activityId, 'escrow')).toBe(0n);
    expect((await books.activities.findActivity(one.activityId))?.settled).toBe(true);
  });

  it.each([
    ['packets', `packet_count = ${PACKET_COUNT_MAX}`],
    ['money', `total_minor = ${TOTAL_MINOR_MAX - 79n}`],
  ])('returns its money to the sponsor if the activity cannot take more %s', async (_, isFull) => {
    const one = await buried();
    const full = await books.undoing(async (tx) => {
      await tx.query(`update activity set ${isFull} where id = $1`, [one.activityId]);
      return books.voiding.declareVoid(tx, one.letterId, 'a robot');
    });
    expect(full.replacement).toBeUndefined();
  });

  it('is void once if many declare it void at the same time, and each claim has its own replacement', async () => {
    const activityId = await rain.openRain({ packets: 5, sponsorId: 'many' });
    const robots = ['r1', 'r2', 'r3', 'r4', 'r5'];
    for (const robot of robots) await books.setStatus(robot, 'frozen');
    await rain.grab(activityId, ...robots);
    for (const robot of robots) await pay(activityId, robot);
    const letters = (await books.letters.list('open', undefined, 100)).filter(
      (letter) => letter.activityId === activityId,
    );
    const twice = [...letters, ...letters].map(({ id }) => codeOf(books.declareVoid(id)));
    expect((await Promise.all(twice)).sort()).toEqual([
      ...Array<string>(5).fill('dead_letter.not_open'),
      ...Array<string>(5).fill('done'),
    ]);
    await rain.loader.extend(activityId);
    const amounts = await books.packetAmounts(activityId);
    expect(sum(amounts.slice(5))).toBe(sum(amounts.slice(0, 5)));
    expect((await listedNos(activityId)).sort((a, b) => a - b)).toEqual([6, 7, 8, 9, 10]);
  });

  it('is either void or replayed if two operators disagree', async () => {
    for (let round = 0; round < 12; round++) {
      const one = await buried();
      await books.setStatus(one.user, 'active');
      const [voided, replayed] = await Promise.all([
        codeOf(books.declareVoid(one.letterId)),
        books.replay(one.letterId),
      ]);
      expect(voided === 'done').toBe(replayed === undefined);
      await books.settlement.settle([one.claimId]);
      expect(await books.balance(one.user)).toBe(replayed === undefined ? 0n : 80n);
      expect(await books.broken()).toEqual([]);
    }
  });
});

describe('a void claim and a close at once', () => {
  const blocked = () => waitFor(async () => (await books.blocked()).length > 0, { what: 'the second one' });

  it('when the void commits first, the close refunds the replacement packet', async () => {
    const one = await buried();
    const commit = await books.hold((tx) => books.voiding.declareVoid(tx, one.letterId, 'a robot'));
    const closing = rain.end(one.activityId);
    await blocked();
    await commit();
    expect(await closing).toBe(true);
    expect(await books.balance(one.sponsor)).toBe(80n);
    await rain.loader.extend(one.activityId);
    expect(await listedNos(one.activityId)).toEqual([]);
  });

  it('when the close commits first, nothing replaces the claim', async () => {
    const one = await buried();
    const commit = await books.hold((tx) => rain.closing.refund(tx, one.activityId, 'closed'));
    const voiding = books.declareVoid(one.letterId);
    await blocked();
    await commit();
    expect((await voiding).replacement).toBeUndefined();
    expect(await books.balance(one.sponsor)).toBe(80n);
    expect(await books.packetAmounts(one.activityId)).toEqual([80n]);
  });

  it('when the close has only been decided, nothing replaces the claim either', async () => {
    const one = await buried();
    await books.closings.intend(one.activityId, 'any-time');
    expect((await books.declareVoid(one.letterId)).replacement).toBeUndefined();
    expect(await books.packetAmounts(one.activityId)).toEqual([80n]);
    await rain.end(one.activityId);
    expect(await books.balance(one.sponsor)).toBe(80n);
  });
});

it('the best luck of an ended activity masks its users, marks the caller’s own packet, and leaves out packets declared void', async () => {
  const activityId = await rain.openRain({ packets: 4, split: { kind: 'equal' }, showsBestLuck: true });
  await books.setStatus('anton', 'frozen');
  const users = ['anna', 'anton', 'bob', 'x'];
  await rain.grab(activityId, ...users);
  for (const user of users) await pay(activityId, user);
  const [letter] = await books.letters.list('open', undefined, 1);
  await rain.end(activityId);
  await books.dataSource.transaction((tx) => rain.worker.get(TidyingRepository).setTidied(tx, activityId));
  await books.declareVoid(letter!.id);
  const shownTo = async (caller: string) => {
    const { items } = await books.serviceOf(BestLuck).shownTo(caller, activityId);
    return items.map(({ user, isMine }) => (isMine ? `${user}, mine` : user)).sort();
  };
  expect(await shownTo('anna')).toEqual(['a***a, mine', 'b***', 'x***']);
  expect(await shownTo('alma')).toEqual(['a***a', 'b***', 'x***']);
});

it('the best luck of an activity is shown even if Redis was not tidied up before it had to forget it', async () => {
  const activityId = await rain.openRain({ packets: 1, showsBestLuck: true });
  await rain.grab(activityId, 'ann');
  await rain.refund(activityId);
  const tidyings = rain.worker.get(TidyingRepository);
  await books.dataSource.transaction((tx) => tidyings.setForgotten(tx, activityId));
  expect((await books.serviceOf(BestLuck).shownTo('ann', activityId)).items).toMatchObject([
    { isMine: true },
  ]);
});

it('the largest packet of an ended activity is the first of several that was won, and not one that was declared void', async () => {
  const tiers = [300n, 200n, 100n].map((minor, i) => ({
    amount: `${minor / 100n}.00`,
    count: i === 1 ? 2 : 1,
  }));
  const activityId = await rain.openRain({ packets: 4, totalMinor: 800n, split: { kind: 'tiers', tiers } });
  const amounts = await books.packetAmounts(activityId);
  const nosOf = (minor: bigint) => amounts.flatMap((amount, i) => (amount === minor ? [i + 1] : []));
  const [early, late] = nosOf(200n).reverse();
  const claimIds: string[] = [];
  for (const no of [...nosOf(300n), early!, late!, ...nosOf(100n)]) {
    const verdicts = await books.claims.confirm([reservationOf(activityId, `winner-${no}`, no)]);
    claimIds.push(...verdicts.map((verdict) => (verdict.kind === 'confirmed' ? verdict.claimId! : '')));
  }
  const letter = await books.dataSource.transaction((tx) => books.letters.hold(tx, claimIds[0]!, 'a robot'));
  await books.declareVoid(letter!.id);
  await rain.end(activityId);
  expect(await books.serviceOf(LargestPackets).of({ id: activityId, packetCount: 5 })).toBe(early);
});
