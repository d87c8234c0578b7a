import { invariants } from '../../src/invariants';
import { reservationOf } from '../harness/books';
import type { History } from '../harness/history';
import { books, rain, shareRain } from '../harness/shared-books';
import { writeWholeHistory } from '../harness/whole-history';
import { BREACH_TABLE, BREACHES, BROKEN_CHAINS, withIds } from './breaches';
import { breachesByActivity, breachesOf, verificationOver, within } from './verifying';

let history: History;

shareRain();

beforeAll(async () => {
  history = await writeWholeHistory(rain);
});

/** Resets the age of the unpaid claim, however long the earlier tests took. */
beforeEach(() => books.dataSource.query('update unsettled_claim set queued_at = now()'));

const verify = () => verificationOver().verify();

describe('verification', () => {
  it('finds a small but complete history clean after reading all of it', async () => {
    const findings = await verify();
    expect(findings.filter(({ breaches }) => breaches !== 0)).toEqual([]);
    expect(Object.fromEntries(findings.map(({ id, examined }) => [id, examined]))).toEqual({
      I1: 53,
      I2: 25,
      I3: 10,
      I4: 12,
      I5: 12,
      I6: 10,
      I7: 10,
      I10: 14,
      I11: 1,
      I12: 2,
      I13: 1,
      I15: 8,
      I16: 9,
      I17: 7,
      I18: 1,
      I19: 2,
      I20: 1,
      I22: 12,
      I23: 12,
      I24: 1,
      I25: 12,
      I26: 12,
      I27: 3,
      I28: 7,
      I30: 2,
      I33: 1,
      I34: 2,
      I35: 5,
      I39: 0,
      I41: 2,
      I42: 1,
      I9: 24,
      I14: expect.any(Number),
      old: 0,
    });
  });

  it('checks every invariant, each under its own name, and reports them in the order of their numbers', async () => {
    const ids = (await verify()).map(({ id }) => id);
    expect(new Set(ids)).toEqual(
      new Set([...invariants.statements.map(({ id }) => id), 'I23', 'I26', 'I30', 'I42', 'old', 'I9', 'I14']),
    );
    expect(new Set(ids).size).toBe(ids.length);
    const numbers = ids.slice(0, -1).map((id) => Number(id.slice(1)));
    expect(ids).toEqual([...numbers.sort((a, b) => a - b).map((number) => `I${number}`), 'old']);
  });

  it('has a planted breach for every invariant of the books', () => {
    expect(Object.keys(BREACHES)).toEqual([
      ...invariants.statements.map(({ id }) => id),
      'I23',
      'I26',
      'I30',
      'I42',
    ]);
  });

  it.each(BREACH_TABLE)(
    'finds $what, by $id, over all data and activity by activity',
    async ({ id, sql }) => {
      const breaches = await books.undoing(async (tx) => {
        for (const statement of sql) await tx.query(withIds(history, statement));
        return [await breachesOf(tx, id), await breachesByActivity(tx, id)];
      });
      expect(breaches.filter((count) => count > 0)).toHaveLength(2);
    },
  );

  it('trusts the statements that it has proven, but not a statement with wrong bounds, which appear in no text', async () => {
    const unprovenAfter = (harm: string) =>
      books.undoing(async (tx) => {
        await tx.query(harm);
        const texts = invariants.computed.find(({ id }) => id === 'I42')!;
        const { faults, remember } = await texts.compute(tx, false, invariants.evidence);
        await remember!(tx);
        return [faults, (await tx.query<unknown[]>('select from wallet_statement_unproven')).length];
      });
    expect(await unprovenAfter('select 1')).toEqual([[], 0]);
    expect(await unprovenAfter('update wallet_statement set to_id = to_id + 1')).toEqual([[], 1]);
  });

  it.each(Object.entries(BROKEN_CHAINS))('sees %s, by I16', async (_, sql) => {
    const findings = await books.undoing(async (tx) => {
      await tx.query(withIds(history, sql));
      return within(tx).verify();
    });
    const broken = findings.filter(({ id, breaches }) => id !== 'I14' && breaches > 0);
    expect(broken.map(({ id }) => id)).toEqual(['I16']);
  });

  it('accepts a claim that is dated after the close, because a clock that is set back dates the close too early', async () => {
    const findings = await books.undoing(async (tx) => {
      await tx.query(
        withIds(
          history,
          `update activity set closed_at = closed_at - interval '2 hours' where id = {closed}`,
        ),
      );
      return within(tx).verify();
    });
    // I14 sees that `undoing` takes triggers away.
    expect(findings.filter(({ id, breaches }) => id !== 'I14' && breaches > 0)).toEqual([]);
  });

  it('finds everything clean again once the damage is undone', async () => {
    expect((await verify()).filter(({ breaches }) => breaches > 0)).toEqual([]);
  });

  it('changes nothing and can be run twice at once', async () => {
    const [one, two] = await Promise.all([verify(), verify()]);
    expect(one).toEqual(two);
  });

  it('checks each invariant in one snapshot: none is broken while users grab', async () => {
    const activityId = await books.activity({ packets: 200 });
    let raining = true;
    const rain = (async () => {
      for (let no = 1; raining && no <= 200; no++) {
        const verdicts = await books.claims.confirm([reservationOf(activityId, `busy-${no}`, no)]);
        await books.settleConfirmed(verdicts);
      }
    })();
    for (let time = 0; time < 10; time++) {
      const findings = await verify();
      expect(findings.filter(({ breaches }) => breaches > 0)).toEqual([]);
    }
    raining = false;
    await rain;
  });
});
