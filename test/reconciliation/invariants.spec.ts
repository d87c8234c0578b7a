import { type ComputedInvariant, type Invariant, Invariants, ofLedger } from '../../src/core/reconciliation';
import { books, shareRain } from '../harness/shared-books';
import { verificationOver } from './verifying';

shareRain();

const OF_CORE = 'I1 I2 I3 I4 I5 I6 I7 I10 I11 I12 I13 I16 I20 I22 I24 I27'.split(' ');

const SUMS = 'the sums of days by which limits refuse are those of the payouts and transfers of that day';

const part = (id: string, title: string, examined: number, breaches: number): Invariant =>
  ofLedger({ id, title, subject: 'gifts', sql: `select ${examined} as examined, ${breaches} as breaches` });

const computed: ComputedInvariant = {
  id: 'I31',
  title: 'every gift has its card',
  subject: 'cards',
  compute: (_, isWhole) => Promise.resolve({ examined: 1, faults: isWhole ? ['Gift 7 has no card.'] : [] }),
};

const ids = (findings: readonly { readonly id: string }[]): string[] => findings.map(({ id }) => id);

describe('the invariants of the core', () => {
  const core = new Invariants([]);

  it('are proven without any extension', async () => {
    await books.claim(await books.activity({ packets: 2 }), ['ann', 'bob']);
    const verification = verificationOver(books.dataSource, core);
    const findings = await verification.verify();
    expect(findings.filter(({ breaches }) => breaches > 0)).toEqual([]);
    expect(new Set(ids(findings))).toEqual(new Set([...OF_CORE, 'I9', 'I14', 'I23', 'I30', 'old']));
    expect(new Set(ids((await verification.verifyUnsealed()).findings))).toEqual(
      new Set([...OF_CORE, 'I9', 'I14', 'I23', 'I30', 'new']),
    );
  });
});

describe('an extension', () => {
  const gifts = part('I29', 'every gift was paid for', 3, 1);
  const invariants = new Invariants([gifts, computed, part('I27', SUMS, 5, 2), part('I27', SUMS, 7, 1)]);

  it('adds invariants, which are reported in the order of their numbers', async () => {
    const findings = await verificationOver(books.dataSource, invariants).verify();
    const { id, title, subject } = gifts;
    expect(findings).toContainEqual({ id, title, subject, examined: 3, breaches: 1 });
    expect(findings).toContainEqual({
      id: 'I31',
      title: computed.title,
      subject: 'cards',
      examined: 1,
      breaches: 1,
      details: ['Gift 7 has no card.'],
    });
    expect(ids(findings).slice(-5)).toEqual(['I27', 'I29', 'I30', 'I31', 'old']);
  });

  it('proves its part of an invariant of the core, and all parts are counted together', async () => {
    const verification = verificationOver(books.dataSource, invariants);
    const alone = await verificationOver(books.dataSource, new Invariants([])).verify();
    const budgets = alone.find(({ id }) => id === 'I27')!.examined;
    for (const findings of [await verification.verify(), (await verification.verifyUnsealed()).findings])
      expect(findings.find(({ id }) => id === 'I27')).toMatchObject({
        title: SUMS,
        examined: budgets + 12,
        breaches: 3,
      });
  });

  it('lends its rows to invariants as evidence, which has no rows without the extension', async () => {
    const sql = `select count(*) as examined, count(*) filter (where status = 'approved') as breaches
                   from requested_deed where action = 'gift.give'`;
    const rows = `select 'gift.give' as action, 7::bigint as source_id, 'approved' as status, '{}'::jsonb as terms`;
    const gifts = ofLedger({ id: 'I29', title: 'no gift was approved', subject: 'gifts', sql });
    const provenWith = async (invariants: Invariants) =>
      (await verificationOver(books.dataSource, invariants).verify()).find(({ id }) => id === 'I29');
    expect(await provenWith(new Invariants([gifts], { requested_deed: rows }))).toMatchObject({
      examined: 1,
      breaches: 1,
    });
    expect(await provenWith(new Invariants([gifts]))).toMatchObject({ examined: 0, breaches: 0 });
  });

  it('cannot redefine an invariant of the core', () => {
    expect(() => new Invariants([part('I27', 'gifts are nice', 1, 0)])).toThrow('I27 has two meanings.');
  });
});
