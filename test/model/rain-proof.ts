import { claimKey, type ModelRain, type RainModel } from './rain-model';
import { type ClaimFacts, type RainUnderTest, SPONSOR, SPONSOR_FUNDS_MINOR } from './rain-under-test';
import { noteServed, tapAtOnce } from './taps';
import { serveAll } from './waiters';

/** Number of sweeps: one sweep may correct what another waits for. */
const SWEEPS = 3;

export const USERS = ['auth0|5f7c', 'user@shop.example', '1:1!', '__proto__', '{00}\\"'];

/** Checks the facts that must hold after every step and are cheap to check. */
export async function expectPromiseKept(model: RainModel, real: RainUnderTest): Promise<void> {
  const [claims, ended, { wallets, sum }] = await Promise.all([
    real.claims(),
    real.endedRains(),
    real.balances(),
  ]);
  expectToldIsClaimed(model, claims);
  for (const rain of model.rains) {
    if (rain.over || !rain.closing) expect([rain.id, ended.has(rain.id)]).toEqual([rain.id, rain.over]);
    rain.over = ended.has(rain.id);
  }
  await expectPlacesKept(model, real);
  for (const [userId, balance] of model.frozen) expect(wallets.get(userId)).toBe(balance);
  expect(sum).toBe(0n);
}

function expectToldIsClaimed(model: RainModel, claims: readonly ClaimFacts[]): void {
  for (const rain of model.rains) {
    const mine = claims.filter(({ rainId }) => rainId === rain.id);
    const packetOf = new Map(mine.map(({ userId, packetNo }) => [userId, packetNo]));
    expect(new Set(packetOf.values()).size).toBe(mine.length);
    for (const { packetNo, amountMinor } of mine) expect(amountMinor).toBe(rain.amountsMinor[packetNo - 1]);
    for (const [userId, packetNo] of rain.told)
      expect([userId, packetOf.get(userId)]).toEqual([userId, packetNo]);
  }
}

/**
 * Waiting users keep their place until they are served, the rain has ended, or Redis loses its
 * memory. If their packet turns out to be another user's, they get their place back.
 */
async function expectPlacesKept(model: RainModel, real: RainUnderTest): Promise<void> {
  for (const rain of model.rains) {
    const { id, line } = rain;
    await noteServed(rain, real);
    const waiters = await real.waiters(id);
    if (rain.over && waiters.length === 0) line.disperse();
    if (model.redisForgot) for (const userId of waiters) line.comeBack(userId);
    expect([id, waiters]).toEqual([id, line.waiters]);
    const places = await Promise.all(USERS.map((userId) => real.place(id, userId)));
    expect(places).toEqual(USERS.map((userId) => waiters.indexOf(userId) + 1));
  }
}

/** Stops all faults and does all due work. Then all users must have the packets they were told of. */
export async function expectAllPaid(model: RainModel, real: RainUnderTest): Promise<void> {
  real.faults.disarm();
  await sweep(real);
  await expectPromiseKept(model, real);
  await expectProven(model, real);
  await expectServed(model, real);

  await everybodyAsks(model, real);
  await expectPromiseKept(model, real);
  await thaw(model, real);
  await expectProven(model, real);
  await expectBalances(model, real);

  await closeAll(model, real);
  await serveAll(model, real, () => real.lead(), false);
  await expectPromiseKept(model, real);
  for (const { id } of model.rains) expect([id, await real.waiters(id)]).toEqual([id, []]);
  await expectProven(model, real);
  const back = model.rains.reduce(
    (sum, rain) => sum + model.remainderOf(rain) - totalOf(rain),
    model.voidMinor,
  );
  expect(await real.books.balance(SPONSOR)).toBe(SPONSOR_FUNDS_MINOR + back);
}

/** Users who have left the line have a packet, even if the process that gave it to them died. */
async function expectServed(model: RainModel, real: RainUnderTest): Promise<void> {
  const claims = await real.claims();
  for (const { id, line } of model.rains) {
    const winners = new Set(claims.filter(({ rainId }) => rainId === id).map(({ userId }) => userId));
    expect([id, line.served.filter((userId) => !winners.has(userId))]).toEqual([id, []]);
  }
}

async function sweep(real: RainUnderTest): Promise<void> {
  for (let round = 0; round < SWEEPS; round++) {
    await real.mend();
    await real.look();
    await real.journal.sweep(0);
    await real.quiet();
  }
  await settleAll(real);
}

async function everybodyAsks(model: RainModel, real: RainUnderTest): Promise<void> {
  for (const rain of model.rains)
    for (const userId of USERS) await tapAtOnce(model, real, [{ rain, userId, api: 0 }]);
  await real.quiet();
  await settleAll(real);
}

async function closeAll(model: RainModel, real: RainUnderTest): Promise<void> {
  for (const rain of model.rains) {
    rain.closing = true;
    await real.close(rain.id, ['end']);
  }
}

async function settleAll(real: RainUnderTest): Promise<void> {
  await real.sweepUnsettled();
  await real.settleOffered();
}

async function thaw(model: RainModel, real: RainUnderTest): Promise<void> {
  for (const userId of model.frozen.keys()) await real.books.setStatus(userId, 'active');
  model.frozen.clear();
  await real.letters.replayMany(real.request(), {});
  await settleAll(real);
}

/** Every invariant holds, and a rain that is not over is open with all its packets. */
async function expectProven(model: RainModel, real: RainUnderTest): Promise<void> {
  const { findings: unsealed } = await real.verification.verifyUnsealed();
  const findings = [...unsealed, ...(await real.verification.verify())];
  expect(findings.filter(({ breaches }) => breaches > 0)).toEqual([]);
  const going = model.rains.filter(({ over }) => !over);
  const standing = await Promise.all(going.map(({ id }) => real.standing(id)));
  expect(standing.map(({ status, packetCursor }) => ({ status, packetCursor }))).toEqual(
    going.map(({ amountsMinor }) => ({ status: 'open', packetCursor: amountsMinor.length })),
  );
}

/** All users have been answered with their claims by now, so these answers are complete. */
async function expectBalances(model: RainModel, real: RainUnderTest): Promise<void> {
  const claims = await real.claims();
  const told = model.rains.flatMap(({ id, told }) => [...told.values()].map((no) => claimKey(id, no)));
  expect(claims.map(({ rainId, packetNo }) => claimKey(rainId, packetNo)).sort()).toEqual(told.sort());
  for (const userId of new Set(claims.map((claim) => claim.userId)))
    expect([userId, await real.books.balance(userId)]).toEqual([userId, model.owedTo(userId)]);
}

const totalOf = ({ amountsMinor }: ModelRain): bigint =>
  amountsMinor.reduce((sum, amount) => sum + amount, 0n);
