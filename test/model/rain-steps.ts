import fc from 'fast-check';
import { Problem } from '../../libs/problem';
import { codeOf } from '../harness/problems';
import { type FaultPoint, type Strike, strikes } from './faults';
import { claimKey, type ModelRain, type RainModel } from './rain-model';
import { expectPromiseKept, USERS } from './rain-proof';
import type { RainUnderTest } from './rain-under-test';
import { type Tap, tapAtOnce } from './taps';
import { joinInTurn, serveAll } from './waiters';
import { WaitingLine } from './waiting-line';

export type Step = fc.AsyncCommand<RainModel, RainUnderTest>;

type Deed = (model: RainModel, real: RainUnderTest) => Promise<void>;

const RAINS_MAX = 8;
const HOUR_MS = 3_600_000;

/** A step finishes all work that it began, and then checks the promise. */
function step(text: string, deed: Deed, when: (model: RainModel) => boolean = hasRain): Step {
  return {
    check: when,
    toString: () => text,
    run: async (model, real) => {
      real.tally.note(text.replace(/ .*/, ''));
      await deed(model, real);
      await real.quiet();
      real.faults.disarm();
      await expectPromiseKept(model, real);
      await real.remember();
      model.remember();
    },
  };
}

const hasRain = (model: RainModel): boolean => model.rains.length > 0;

type FaultName = keyof typeof FAULTS;

type Fault = (model: RainModel, real: RainUnderTest, rains: readonly ModelRain[]) => [FaultPoint, Strike];

/** Faults between the draw and the answer. */
const FAULTS = {
  'confirm lost': () => ['confirm', strikes.lost],
  'reply of confirm lost': () => ['confirm', strikes.replyLost],
  'release lost': () => ['release', strikes.lost],
  'reply of release lost': () => ['release', strikes.replyLost],
  'acknowledgement lost': () => ['acknowledge', strikes.lost],
  'swept before confirm': (_, real) => ['confirm', strikes.before(() => real.journal.sweep(0))],
  'Redis loses its tail before confirm': (model, real) => [
    'confirm',
    strikes.before(() => loseTail(model, real, 1)),
  ],
  'Redis loses its tail after confirm': (model, real) => [
    'confirm',
    strikes.after(() => loseTail(model, real, 1)),
  ],
  'Redis empty before confirm': (model, real) => ['confirm', strikes.before(() => empty(model, real))],
  'Redis empty after confirm': (model, real) => ['confirm', strikes.after(() => empty(model, real))],
  'Redis empty and loaded after confirm': (model, real) => [
    'confirm',
    strikes.after(() => empty(model, real).then(() => real.mend())),
  ],
  'closed before confirm': (_, real, rains) => ['confirm', strikes.before(() => closeAll(real, rains))],
  'closed after confirm': (_, real, rains) => ['confirm', strikes.after(() => closeAll(real, rains))],
  'closed across the commit': (model, real, rains) => [
    'confirm',
    (_, reservations) => {
      model.forget(1);
      const ids = [...new Set(rains.map((rain) => willClose(rain).id))];
      return real.closeAcrossCommit(reservations, ids);
    },
  ],
} satisfies Record<string, Fault>;

async function loseTail(model: RainModel, real: RainUnderTest, steps: number): Promise<void> {
  await real.loseTail(steps);
  model.forget(steps);
}

async function empty(model: RainModel, real: RainUnderTest): Promise<void> {
  await real.empty();
  model.forget();
}

async function closeAll(real: RainUnderTest, rains: readonly ModelRain[]): Promise<void> {
  for (const id of new Set(rains.map((rain) => willClose(rain).id))) await real.close(id, ['one', 'two']);
}

function willClose(rain: ModelRain): ModelRain {
  rain.closing = true;
  return rain;
}

function arm(
  fault: FaultName | null,
  model: RainModel,
  real: RainUnderTest,
  rains: readonly ModelRain[],
): void {
  if (fault !== null) real.faults.arm(fault, ...(FAULTS[fault] as Fault)(model, real, rains));
}

const create = (packets: number, scheduled: boolean, parts = 1): Step =>
  step(
    `create ${packets}${scheduled ? ' scheduled' : ''}${parts > 1 ? ` over ${parts} parts` : ''}`,
    async (model, real) => {
      const id = await real.create(packets, scheduled ? HOUR_MS : -HOUR_MS, parts);
      const amountsMinor = await real.books.packetAmounts(id);
      model.rains.push({
        id,
        amountsMinor,
        scheduled,
        parts,
        dealt: packets,
        told: new Map(),
        line: new WaitingLine(),
        hasUnloadedTopUp: false,
        closing: false,
        over: false,
      });
    },
    (model) => model.rains.length < RAINS_MAX,
  );

/** The process that adds packets may die before it tells Redis. */
const topUp = (index: number, packets: number, dies: boolean): Step =>
  step(`top-up of ${index} with ${packets}${dies ? ', dies' : ''}`, async (model, real) => {
    const rain = model.rain(index);
    const code = await codeOf(real.topUp(rain.id, packets, dies));
    if (!rain.closing) expect(code).toBe('done');
    if (rain.over) expect(code).toBe('activity.ended');
    if (dies) rain.hasUnloadedTopUp = true;
    rain.amountsMinor = await real.books.packetAmounts(rain.id);
  });

/** The process that moves the end may die before it tells Redis. */
const extend = (index: number, dies: boolean): Step =>
  step(`extend ${index}${dies ? ', dies' : ''}`, async (model, real) => {
    const rain = model.rain(index);
    const code = await codeOf(real.extend(rain.id, dies));
    if (!rain.closing) expect(code).toBe('done');
    if (rain.over) expect(code).toBe('activity.ended');
  });

interface Tapping {
  readonly rain: number;
  readonly user: number;
  readonly api: number;
}

const textOf = (taps: readonly Tapping[]): string =>
  taps.map(({ rain, user, api }) => `${USERS[user]}@${rain}/${api}`).join(' ');

const tapsOf = (taps: readonly Tapping[], model: RainModel): Tap[] =>
  taps.map(({ rain, user, api }) => ({ rain: model.rain(rain), userId: USERS[user]!, api }));

const grab = (tapping: readonly Tapping[], fault: FaultName | null): Step =>
  step(`grab ${textOf(tapping)}${fault ? `, ${fault}` : ''}`, (model, real) => {
    const taps = tapsOf(tapping, model);
    const rains = taps.map(({ rain }) => rain);
    arm(fault, model, real, rains);
    return tapAtOnce(model, real, taps, fault !== null);
  });

/** Users ask to wait, whatever the answer to their tap was, or without having tapped. */
const wait = (rush: readonly Tapping[], untried: boolean): Step =>
  step(`wait ${textOf(rush)}${untried ? ', untried' : ''}`, async (model, real) => {
    const taps = tapsOf(rush, model);
    if (!untried) await tapAtOnce(model, real, taps);
    await real.quiet();
    await joinInTurn(model, real, taps);
  });

type Leading = 'one leads' | 'two lead' | 'leader dies';

const serve = (leading: Leading, fault: FaultName | null): Step =>
  step(`serve, ${leading}${fault ? `, ${fault}` : ''}`, async (model, real) => {
    arm(fault, model, real, model.rains);
    const ids = model.rains.map(({ id }) => id);
    const ways = {
      'one leads': () => real.lead(),
      'two lead': () => real.leadTwice(ids).catch(() => undefined),
      'leader dies': () => real.leaderDies(ids),
    };
    await serveAll(model, real, ways[leading], leading === 'two lead' || fault !== null);
  });

const workerTick = (workers: number): Step =>
  step(`${workers} workers settle`, (_, real) => real.settleOffered(workers));

const queueWiped = (): Step =>
  step('queue wiped', async (_, real) => {
    real.offers.claimIds = [];
  });

const sweepUnsettled = (): Step => step('sweep unsettled', (_, real) => real.sweepUnsettled());

const sweepJournal = (sweepers: number, fault: FaultName | null): Step =>
  step(`${sweepers} sweep the journal${fault ? `, ${fault}` : ''}`, async (model, real) => {
    arm(fault, model, real, model.rains);
    await Promise.all(Array.from({ length: sweepers }, () => real.journal.sweep(0)));
  });

const mend = (): Step => step('mend', (_, real) => real.mend());

const rebuild = (index: number): Step =>
  step(`rebuild ${index}`, (model, real) => real.rebuild(model.rain(index).id));

/** Redis loses its last steps. Then all users ask again, at once or one by one. */
const redisLosesTail = (
  steps: number,
  rush: readonly Tapping[],
  atOnce: boolean,
  fault: FaultName | null,
): Step =>
  step(
    `Redis loses ${steps} steps, then ${atOnce ? 'at once' : 'one by one'} ${textOf(rush)}${fault ? `, ${fault}` : ''}`,
    async (model, real) => {
      await loseTail(model, real, steps + 1);
      const taps = tapsOf(rush, model);
      const rains = taps.map(({ rain }) => rain);
      arm(fault, model, real, rains);
      for (const group of atOnce ? [taps] : taps.map((tap) => [tap]))
        await tapAtOnce(model, real, group, fault !== null);
    },
  );

const redisEmpty = (loaded: boolean): Step =>
  step(`Redis empty${loaded ? ', loaded' : ''}`, async (model, real) => {
    await empty(model, real);
    if (loaded) await Promise.all(model.rains.map(({ id }) => real.loader.load(id)));
  });

const close = (index: number, keys: readonly string[], fault: FaultName | null): Step =>
  step(`close ${index} ${keys.join('')}${fault ? `, ${fault}` : ''}`, async (model, real) => {
    const rain = willClose(model.rain(index));
    arm(fault, model, real, [rain]);
    await real.close(rain.id, keys).catch((error: unknown) => {
      if (fault === null || !(error instanceof Problem) || error.status !== 503) throw error;
    });
  });

const closerDies = (index: number, refunded: boolean): Step =>
  step(`closer of ${index} dies ${refunded ? 'after' : 'before'} the refund`, (model, real) =>
    real.closerDies(willClose(model.rain(index)).id, refunded),
  );

const cancel = (index: number): Step =>
  step(`cancel ${index}`, async (model, real) => {
    const rain = model.rain(index);
    const surely = rain.scheduled && !rain.closing;
    if (rain.scheduled) rain.closing = true;
    const code = await codeOf(real.endings.cancel(real.request(), rain.id));
    if (surely) expect(code).toBe('done');
    if (!rain.scheduled) expect(code).toBe('activity.already_open');
  });

/** A frozen wallet gets nothing, even if it is frozen while it is being paid. */
const freeze = (user: number, racing: boolean): Step =>
  step(`freeze ${USERS[user]}${racing ? ' while paying' : ''}`, async (model, real) => {
    const userId = USERS[user]!;
    await Promise.all([real.books.setStatus(userId, 'frozen'), racing && real.settleOffered()]);
    model.frozen.set(userId, await real.books.balance(userId));
  });

const unfreeze = (user: number): Step =>
  step(`unfreeze ${USERS[user]}`, async (model, real) => {
    await real.books.setStatus(USERS[user]!, 'active');
    model.frozen.delete(USERS[user]!);
  });

const replayAll = (user: number | null): Step =>
  step(`replay ${user === null ? 'all' : USERS[user]}`, async (_, real) => {
    await real.letters.replayMany(real.request(), user === null ? {} : { userId: USERS[user] });
  });

/** Two operators replay the same letter at once; the second fails. */
const replayTwice = (index: number): Step =>
  step(`replay letter ${index} twice`, async (model, real) => {
    const letters = [
      ...(await real.books.letters.list('open', undefined, 9)),
      ...(await real.books.letters.list('resolved', undefined, 9)),
    ];
    const letter = letters[index % letters.length];
    if (!letter) return;
    const replaying = () => codeOf(real.letters.replay(real.request(), letter.id));
    const codes = await Promise.all([replaying(), replaying()]);
    expect(codes.sort()).toEqual(['dead_letter.not_open', 'done']);
    model.writtenOff.delete(await keyOfClaim(real, letter.claimId));
  });

const resolve = (index: number): Step =>
  step(`resolve letter ${index}`, async (model, real) => {
    const letters = await real.books.letters.list('open', undefined, 9);
    const letter = letters[index % letters.length];
    if (!letter) return;
    await real.letters.resolve(real.request(), letter.id, 'paid by hand');
    model.writtenOff.add(await keyOfClaim(real, letter.claimId));
  });

/** Two operators declare a letter void at once; the second fails. An open rain gets a packet. */
const declareVoid = (index: number, dies: boolean): Step =>
  step(`void letter ${index}${dies ? ', dies' : ''}`, async (model, real) => {
    const letters = await real.books.letters.list('open', undefined, 9);
    const letter = letters[index % letters.length];
    if (!letter) return;
    const codes = await Promise.all([
      codeOf(real.declareVoid(letter.id, dies)),
      codeOf(real.declareVoid(letter.id, dies)),
    ]);
    expect(codes.sort()).toEqual(['dead_letter.not_open', 'done']);
    model.writtenOff.add(await keyOfClaim(real, letter.claimId));
    model.voidMinor += letter.amountMinor;
    const rain = model.rains.find(({ id }) => id === letter.activityId)!;
    const before = rain.amountsMinor.length;
    rain.amountsMinor = await real.books.packetAmounts(rain.id);
    if (!rain.closing) expect(rain.amountsMinor.slice(before)).toEqual([letter.amountMinor]);
    if (rain.over) expect(rain.amountsMinor).toHaveLength(before);
    if (dies) rain.hasUnloadedTopUp = true;
  });

async function keyOfClaim(real: RainUnderTest, claimId: string): Promise<string> {
  const claim = (await real.claims()).find(({ id }) => id === claimId)!;
  return claimKey(claim.rainId, claim.packetNo);
}

/** Mostly the newest rain, so that a story is about a few users in one rain. */
const rain = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.nat(RAINS_MAX - 1) },
);
const user = fc.nat(USERS.length - 1);
const fault = fc.option(fc.constantFrom(...(Object.keys(FAULTS) as FaultName[])), { freq: 2 });
const seldomFault = fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fault });
const tapping = fc.record({ rain, user, api: fc.nat(1) });
const rushOf = (usersMin: number) =>
  fc
    .tuple(rain, fc.shuffledSubarray([...USERS.keys()], { minLength: usersMin }), fc.nat(1))
    .map(([rain, users, api]) => users.map((user) => ({ rain, user, api })));
const taps = fc.oneof(rushOf(1), fc.array(tapping, { minLength: 1, maxLength: 6 }));
const keys = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 });

const seldom = fc.oneof(
  { weight: 9, arbitrary: fc.constant(false) },
  { weight: 1, arbitrary: fc.constant(true) },
);

export const creation = fc
  .tuple(fc.constantFrom(1, 2, 2, 3, 3, 4, 5, 8), seldom)
  .map((args) => create(...args));

/** Rains over parts, with at least one packet for each part. */
export const dealtCreation = fc
  .tuple(fc.constantFrom(2, 2, 3, 3, 4, 5, 8), seldom)
  .map(([packets, scheduled]) => create(packets, scheduled, 2));

export const smallCreation = fc.constantFrom(1, 2, 3).map((packets) => create(packets, false));

const toppingUp = fc.tuple(rain, fc.constantFrom(1, 2, 3), seldom).map((args) => topUp(...args));

const extending = fc.tuple(rain, fc.boolean()).map((args) => extend(...args));

const grabbing = fc.tuple(taps, fault).map((args) => grab(...args));

const waiting = fc.tuple(rushOf(3), seldom).map((args) => wait(...args));

const serving = fc
  .tuple(
    fc.constantFrom<Leading>('one leads', 'one leads', 'two lead', 'leader dies', 'leader dies'),
    seldomFault,
  )
  .map((args) => serve(...args));

const settling = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 3 }).map(workerTick) },
  { weight: 2, arbitrary: fc.constantFrom(sweepUnsettled(), queueWiped()) },
);

const rebuilding = rain.map(rebuild);

const sweeping = fc.oneof(
  fc.constant(mend()),
  rebuilding,
  fc.tuple(fc.integer({ min: 1, max: 2 }), fault).map((args) => sweepJournal(...args)),
);

const forgetting = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom(1, 1, 2, 2, 3, 4),
        rushOf(4),
        fc.boolean(),
        fc.option(fc.constantFrom<FaultName>('confirm lost', 'reply of confirm lost'), { freq: 2 }),
      )
      .map((args) => redisLosesTail(...args)),
  },
  { weight: 1, arbitrary: fc.boolean().map(redisEmpty) },
);

const ending = fc.oneof(
  fc.tuple(rain, keys, fault).map((args) => close(...args)),
  fc.tuple(rain, fc.boolean()).map((args) => closerDies(...args)),
  rain.map(cancel),
);

const operating = fc.oneof(
  fc.tuple(user, fc.boolean()).map((args) => freeze(...args)),
  user.map(unfreeze),
  fc.option(user).map(replayAll),
  fc.nat(3).map(replayTwice),
  fc.nat(3).map(resolve),
  fc.tuple(fc.nat(3), seldom).map((args) => declareVoid(...args)),
);

const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

/** Mostly grabs; ends are rare, because little can happen after them. */
export const steps: fc.Arbitrary<Step>[] = [
  ...times(3, creation),
  ...times(2, toppingUp),
  extending,
  ...times(9, grabbing),
  ...times(2, waiting),
  serving,
  ...times(2, settling),
  ...times(2, sweeping),
  ...times(3, forgetting),
  ...times(2, operating),
  ending,
];

/** Steps for rains over parts, together with some rains that are not. */
export const stepsOverParts: fc.Arbitrary<Step>[] = [
  ...times(3, dealtCreation),
  ...times(2, toppingUp),
  ...times(9, grabbing),
  ...times(2, waiting),
  serving,
  settling,
  ...times(2, sweeping),
  ...times(3, forgetting),
  operating,
  ending,
  smallCreation,
];

/** Steps of rains that have sold out: users wait, and get the packets that are added. */
export const stepsOfThoseWhoWait: fc.Arbitrary<Step>[] = [
  smallCreation,
  ...times(5, waiting),
  ...times(4, toppingUp),
  ...times(5, serving),
  ...times(2, grabbing),
  fc.constant(mend()),
  ...times(2, rebuilding),
  sweeping,
  forgetting,
  settling,
];
