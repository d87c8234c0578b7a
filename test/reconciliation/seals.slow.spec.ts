import { DataSource, type EntityManager } from 'typeorm';
import type { Finding, VerificationService } from '../../src/core/reconciliation/verification.service';
import { APP_ROLE, dataSourceOptions } from '../../src/platform/postgres';
import { reservationOf } from '../harness/books';
import { type Rows, unseenEdits } from '../harness/edits';
import { databaseUrl } from '../harness/engines';
import { books, rain, shareRain } from '../harness/shared-books';
import { verificationOver, within } from './verifying';

shareRain(beforeEach, afterEach);

const verifyUnsealed = () => verificationOver().verifyUnsealed();
const brokenIn = (findings: readonly Finding[]) =>
  findings.filter(({ breaches }) => breaches > 0).map(({ id }) => id);
const broken = async () => brokenIn((await verifyUnsealed()).findings);
const brokenInAll = async () => brokenIn(await verificationOver().verify());
const examined = (findings: readonly Finding[], which: string) =>
  findings.find(({ id }) => id === which)!.examined;

/** Makes an ended rain of three packets: the users are paid, the rest is refunded. */
async function settledRain(...userIds: string[]): Promise<string> {
  const activityId = await books.activity({ packets: 3 });
  await books.settlement.settle(await books.claim(activityId, userIds));
  await end(activityId);
  return activityId;
}

async function end(activityId: string): Promise<void> {
  await books.dataSource.transaction((tx) => rain.closing.refund(tx, activityId, 'closed'));
}

const sealed = async (): Promise<string[]> =>
  (await books.dataSource.query<{ id: string }[]>('select activity_id as id from seal order by 1')).map(
    ({ id }) => id,
  );

/** Changes rows with the triggers off, as only the owner of the tables can. */
async function tamper(table: string, sql: string, values: unknown[] = []): Promise<void> {
  await books.dataSource.transaction(async (tx) => {
    const hasTrigger = ['transfer', 'top_up', 'seal'].includes(table);
    if (hasTrigger) await tx.query(`alter table ${table} disable trigger append_only`);
    await tx.query(sql, values);
    if (hasTrigger) await tx.query(`alter table ${table} enable trigger append_only`);
  });
}

describe('a seal', () => {
  it('prevents a settled activity from being read again, and a second run finds the same', async () => {
    const [first, second] = [await settledRain('ann', 'bob'), await settledRain('ann', 'cem')];
    const open = await books.activity({ packets: 3 });
    await books.settlement.settle(await books.claim(open, ['ann']));

    const once = await verifyUnsealed();
    expect(once).toMatchObject({ sealedBefore: 0, sealedNow: 2 });
    expect(brokenIn(once.findings)).toEqual([]);
    expect(examined(once.findings, 'I4')).toBe(5);
    expect(await sealed()).toEqual([first, second]);

    const twice = await verifyUnsealed();
    expect(twice).toMatchObject({ sealedBefore: 2, sealedNow: 0 });
    expect(brokenIn(twice.findings)).toEqual([]);
    expect(examined(twice.findings, 'I4')).toBe(1);
    expect(examined(twice.findings, 'new')).toBe(0);
    expect(await verifyUnsealed()).toEqual(twice);

    const all = await verificationOver().verify();
    expect(brokenIn(all)).toEqual([]);
    expect([examined(all, 'I4'), examined(all, 'old')]).toEqual([5, 2]);
  });

  it('is not set while an activity is running or one of its claims is unpaid', async () => {
    const activityId = await books.activity({ packets: 2 });
    const claims = await books.claim(activityId, ['ann']);
    expect(await verifyUnsealed()).toMatchObject({ sealedNow: 0 });
    await end(activityId);
    expect(await verifyUnsealed()).toMatchObject({ sealedNow: 0 });
    await books.settlement.settle(claims);
    expect(await verifyUnsealed()).toMatchObject({ sealedNow: 1 });
  });

  it('is not set while a dead letter could still be replayed, but is set after it was replayed and paid', async () => {
    await books.setStatus('cem', 'frozen');
    const activityId = await settledRain('ann', 'cem');
    expect(await verifyUnsealed()).toMatchObject({ sealedNow: 0 });
    const [letter] = await books.letters.list('open', undefined, 1);
    await books.dataSource.transaction((tx) => books.letters.resolve(tx, letter!.id, 'paid by hand'));
    expect(await verifyUnsealed()).toMatchObject({ sealedNow: 0 });

    await books.setStatus('cem', 'active');
    const claimId = await books.replay(letter!.id);
    expect(await verifyUnsealed()).toMatchObject({ sealedNow: 0 });
    await books.settlement.settle([claimId!]);
    expect(await verifyUnsealed()).toMatchObject({ sealedNow: 1 });
    expect(await sealed()).toEqual([activityId]);
    expect(await brokenInAll()).toEqual([]);
  });

  it('is set for an activity with a void claim, whose dead letter is final', async () => {
    await books.setStatus('cem', 'frozen');
    const activityId = await books.activity({ packets: 1 });
    await books.settlement.settle(await books.claim(activityId, ['cem']));
    const [letter] = await books.letters.list('open', undefined, 1);
    await books.declareVoid(letter!.id);
    await end(activityId);
    expect(await verifyUnsealed()).toMatchObject({ sealedNow: 1 });
    expect(await broken()).toEqual([]);
    expect(await brokenInAll()).toEqual([]);
  });

  it('is not set for an activity with a fault, which is named, while others are sealed', async () => {
    const [first, wrong, third] = [
      await settledRain('ann'),
      await settledRain('bob'),
      await settledRain('cem'),
    ];
    await tamper(
      'packet',
      'update packet set amount_minor = amount_minor + 1 where activity_id = $1 and no = 2',
      [wrong],
    );
    const { findings, sealedNow } = await verifyUnsealed();
    expect(sealedNow).toBe(2);
    expect(await sealed()).toEqual([first, third]);
    expect(findings.find(({ id }) => id === 'I3')).toMatchObject({
      breaches: 1,
      details: [`activity ${wrong}`],
    });
  });
});

describe('a sealed activity', () => {
  let activityId: string;

  beforeEach(async () => {
    activityId = await settledRain('ann', 'bob');
    await settledRain('cem');
    expect(await verifyUnsealed()).toMatchObject({ sealedNow: 2 });
  });

  it.each([
    ['packet', 'update packet set amount_minor = amount_minor + 1 where activity_id = $1 and no = 3'],
    ['claim', `update claim set user_id = 'eve' where activity_id = $1 and user_id = 'ann'`],
    ['claim', `delete from claim where activity_id = $1 and user_id = 'ann'`],
    ['transfer', `update transfer set created_at = now() where activity_id = $1 and kind = 'refund'`],
    ['transfer', `update transfer set activity_id = 999 where activity_id = $1 and kind = 'credit'`],
    ['activity', `update activity set seed = 'another' where id = $1`],
    ['seal', `update seal set digest = sha256('') where activity_id = $1`],
    ['seal', `update seal set claims = claims + 1 where activity_id = $1`],
  ])('that was tampered with (%s: %s) is named by a run over everything', async (table, sql) => {
    await tamper(table, sql, [activityId]);
    const findings = await verificationOver().verify();
    expect(findings.find(({ id }) => id === 'old')!.details).toContain(
      `Activity ${activityId} is not what it was.`,
    );
  });

  it('makes every run report a transfer that is added to it later, however well its balances fit', async () => {
    await books.deposit('sponsor', 100n);
    await books.dataSource.query(
      `insert into transfer (kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor)
       select 'top-up', 77, id, sponsor_account_id, escrow_account_id, 5 from activity where id = $1`,
      [activityId],
    );
    expect(await broken()).toEqual(['new']);
    expect(await broken()).toEqual(['new']);
    expect(await sealed()).toHaveLength(2);
    expect(await brokenInAll()).toContain('old');
  });

  it('is not followed by another seal while the ledger holds a transfer that no activity explains', async () => {
    await books.dataSource.query(
      `insert into transfer (kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor)
       select 'credit', 999999, id, escrow_account_id, sponsor_account_id, 5 from activity where id = $1`,
      [activityId],
    );
    await settledRain('dan');
    expect(await broken()).toEqual(['new']);
    expect(await sealed()).toHaveLength(2);
  });

  describe('that gets a transfer whose id is from before a run and whose commit is after it', () => {
    let service: VerificationService;
    let commit: () => Promise<void>;

    beforeEach(async () => {
      service = verificationOver();
      commit = await books.hold((tx) =>
        tx.query(
          `insert into transfer (kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor)
           select 'credit', 999999, id, escrow_account_id, sponsor_account_id, 5 from activity where id = $1`,
          [activityId],
        ),
      );
      await settledRain('dan');
    });

    it('makes the run that waits for the transfer report it', async () => {
      const look = service['seals'].stillWriting.bind(service['seals']);
      jest.spyOn(service['seals'], 'stillWriting').mockImplementationOnce(async (writers) => {
        const count = await look(writers);
        await commit();
        return count;
      });
      expect(brokenIn((await service.verifyUnsealed()).findings)).toEqual(['new']);
    });

    it('makes the next run report it if the commit takes too long, even if others were sealed in the meantime', async () => {
      const { findings, sealedNow } = await service.verifyUnsealed();
      expect([brokenIn(findings), sealedNow]).toEqual([[], 1]);
      await commit();
      expect(await broken()).toEqual(['new']);
    });
  });

  it.each([
    [
      'moved between wallets',
      `update account set balance_minor = balance_minor + case owner_id when 'ann' then 1 else -1 end
                               where owner_id in ('ann', 'bob')`,
    ],
    [
      'left in an escrow',
      `update account set balance_minor = balance_minor + case kind when 'escrow' then 1 else -1 end
                           where id in (select escrow_account_id from activity where id = $1) or owner_id = 'ann'`,
    ],
  ])('makes every run report money that is %s without a transfer in the ledger', async (_, sql) => {
    await tamper('account', sql, sql.includes('$1') ? [activityId] : []);
    expect(await broken()).toEqual(['I2']);
  });

  it('makes every run report a change of carried sums, and a run over everything names the account', async () => {
    const [{ id }] = await books.dataSource.query(`select id from account where owner_id = 'ann'`);
    await tamper('carried', 'update carried set net_minor = net_minor + 1 where account_id = $1', [id]);
    expect(await broken()).toEqual(['I2']);
    const old = (await verificationOver().verify()).find((finding) => finding.id === 'old');
    expect(old!.details).toEqual([`Account ${id} carries something else.`]);
  });

  it('has a seal that is never changed or deleted', async () => {
    await expect(books.dataSource.query('delete from seal')).rejects.toThrow('never changed');
    await expect(books.dataSource.query('update seal set claims = 0')).rejects.toThrow('never changed');
  });
});

describe('a row of the books', () => {
  const ALIKE = { kind: 'random', min: '1.00', max: '1.00' } as const;

  /** Plays a rain with a top-up, a void claim and its new packet, and a letter that was replayed. */
  async function eventfulRain(): Promise<string> {
    for (const user of ['cem', 'dan']) await books.setStatus(user, 'frozen');
    const activityId = await books.activity({ packets: 5, split: ALIKE });
    await books.settlement.settle(await books.claim(activityId, ['ann', 'bob', 'cem', 'dan']));
    const letters = await books.letters.list('open', undefined, 2);
    const letterOf = (user: string) => letters.find(({ userId }) => userId === user)!.id;
    await books.declareVoid(letterOf('cem'));
    await books.setStatus('dan', 'active');
    await books.settlement.settle([(await books.replay(letterOf('dan')))!]);
    await books.topUp(activityId, { packets: 2, split: ALIKE });
    await end(activityId);
    return activityId;
  }

  /** Seals come first, because they see most edits at once. */
  async function isSeen(tx: EntityManager): Promise<boolean> {
    const service = within(tx);
    if ((await service['compareSeals']()).breaches > 0) return true;
    // I14 detects that the rules that prevent such edits are gone.
    return brokenIn(await service.verify()).some((id) => id !== 'I14');
  }

  const ofKinds = (id: string) =>
    ['fund', 'top-up', 'credit', 'void', 'refund'].map(
      (kind) => [kind, ['transfer', `kind = '${kind}' and activity_id = ${id}`]] as const,
    );

  it('that was sealed shows an edit of any column, except columns that do not affect money', async () => {
    const id = await eventfulRain();
    await verifyUnsealed();
    const rows: Rows = {
      activity: ['activity', `id = ${id}`],
      packet: ['packet', `activity_id = ${id} and no = 5`],
      claim: ['claim', `activity_id = ${id} and user_id = 'ann'`],
      ...Object.fromEntries(ofKinds(id)),
      deposit: ['transfer', `kind = 'deposit'`],
      added: ['top_up', `activity_id = ${id}`],
      batch: ['packet_batch', `activity_id = ${id} and batch_no = 0`],
      voided: ['dead_letter', `status = 'void'`],
      replayed: ['dead_letter', `status = 'replayed'`],
      seal: ['seal', `activity_id = ${id}`],
      carried: ['carried', 'account_id = (select min(account_id) from carried)'],
      winner: ['account', `owner_id = 'ann'`],
      sponsor: ['account', `owner_id = 'sponsor'`],
      escrow: ['account', `owner_id = '${id}'`],
    };
    expect(await books.undoing((tx) => unseenEdits(tx, rows, () => isSeen(tx)))).toEqual([
      ...['activity.tidied_at', 'activity.forgotten_at', 'activity.theme', 'activity.logo'],
      ...['activity.shows_best_luck', 'activity.best_luck', 'activity.format', 'activity.audience'],
      ...['deposit.id', 'deposit.created_at', 'deposit.previous_credit_in'],
      ...['seal.walked_to', 'seal.sealed_at'],
      ...['winner.status', 'winner.created_at', 'winner.former_credit_in', 'winner.currency_number'],
      ...['sponsor.status', 'sponsor.created_at', 'sponsor.former_credit_in', 'sponsor.currency_number'],
      ...['escrow.status', 'escrow.created_at', 'escrow.former_credit_in', 'escrow.currency_number'],
    ]);
  });

  /** A settled rain with a row of every kind. Ids and times are fixed, so that its digest is. */
  const FIXED = `
    insert into account (id, owner_id, kind, currency, balance_minor, last_credit_in) overriding system value
    values (1, 'outside', 'funding', 'CNY', -300, null), (2, 'sponsor', 'wallet', 'CNY', 100, null),
           (3, '7', 'escrow', 'CNY', 0, null), (4, 'ann', 'wallet', 'CNY', 100, 7), (5, 'bob', 'wallet', 'CNY', 100, 7);
    insert into activity (id, name, sponsor_id, sponsor_account_id, escrow_account_id, currency, total_minor, packet_count,
                          split, seed, opens_at, closes_at, status, closed_at) overriding system value
    values (7, 'Rain', 'sponsor', 2, 3, 'CNY', 300, 3, '{"kind":"equal"}', 'seed', '2026-01-01', '2026-01-02', 'closed', '2026-01-02');
    insert into packet (activity_id, no, amount_minor) values (7, 1, 100), (7, 2, 100), (7, 3, 100);
    insert into top_up (id, activity_id, amount_minor, packet_count, first_no, split, seed) overriding system value
    values (8, 7, 100, 1, 3, '{"kind":"equal"}', 'another');
    insert into claim (id, activity_id, packet_no, user_id, amount_minor, confirmed_at) overriding system value
    values (11, 7, 1, 'ann', 100, '2026-01-01 12:00Z'), (12, 7, 3, 'bob', 100, '2026-01-01 12:00Z');
    insert into transfer (id, kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor, created_at)
    overriding system value
    values (21, 'deposit', 1, null, 1, 2, 300, '2026-01-01Z'), (22, 'fund', 7, 7, 2, 3, 200, '2026-01-01Z'),
           (23, 'top-up', 8, 7, 2, 3, 100, '2026-01-01Z'), (24, 'credit', 11, 7, 3, 4, 100, '2026-01-01Z'),
           (25, 'credit', 12, 7, 3, 5, 100, '2026-01-01Z'), (26, 'refund', 7, 7, 3, 2, 100, '2026-01-02Z');
    insert into dead_letter (claim_id, activity_id, user_id, amount_minor, reason, status)
    values (12, 7, 'bob', 100, 'wallet_frozen', 'replayed')`;

  /** The digest that programs with version 1 gave to it. */
  const SEALED_BY_VERSION_1 = Buffer.from(
    '5198df6e8bf578a6caf7eacfcf4cd496267b09fa01a65c15382e1b8d70903796',
    'hex',
  );

  it('that was sealed by an earlier release is compared by the columns of its seal', async () => {
    await books.creations.makePartitions('7');
    await books.dataSource.query(FIXED);
    expect(await verifyUnsealed()).toMatchObject({ sealedNow: 1 });
    await tamper('seal', 'update seal set version = 1, digest = $1', [SEALED_BY_VERSION_1]);
    expect(await brokenInAll()).toEqual([]);
    await tamper('top_up', `update top_up set seed = 'third'`);
    expect(await brokenInAll()).toEqual(['old']);
  });

  it('that was sealed by a newer release is named, because this release cannot compare it', async () => {
    await settledRain('ann');
    await verifyUnsealed();
    await tamper('seal', 'update seal set version = 99');
    expect(await brokenInAll()).toEqual(['old']);
  });
});

describe('a run that seals', () => {
  const connect = async (role: string | undefined, options = '') => {
    const [{ name }] = await books.dataSource.query('select current_database() as name');
    const url = new URL(databaseUrl(name as string, role));
    if (options !== '') url.searchParams.set('options', options);
    return new DataSource(
      dataSourceOptions({ databaseUrl: url.href, poolMax: 2, patient: true }),
    ).initialize();
  };

  it('needs only the rights of the role of the application', async () => {
    await settledRain('ann');
    const app = await connect(APP_ROLE);
    const { findings, sealedNow } = await verificationOver(app).verifyUnsealed();
    await app.destroy();
    expect([brokenIn(findings), sealedNow]).toEqual([[], 1]);
  });

  it('verifies without sealing if it may only read', async () => {
    await settledRain('ann');
    const reader = await connect(undefined, '-c default_transaction_read_only=on');
    const { findings, sealedNow } = await verificationOver(reader).verifyUnsealed();
    await reader.destroy();
    expect([brokenIn(findings), sealedNow, examined(findings, 'I4')]).toEqual([[], 0, 1]);
  });

  it('seals once if two run at the same time', async () => {
    for (let i = 0; i < 5; i++) await settledRain('ann', 'bob');
    const runs = await Promise.all([verifyUnsealed(), verifyUnsealed(), verifyUnsealed()]);
    expect(runs.flatMap(({ findings }) => brokenIn(findings))).toEqual([]);
    expect(runs.reduce((sum, { sealedNow }) => sum + sealedNow, 0)).toBe(5);
    expect(await brokenInAll()).toEqual([]);
  });

  it('finds nothing broken while users grab, activities end and money moves, and seals only finished activities', async () => {
    let raining = true;
    const storm = (async () => {
      for (let i = 0; raining && i < 200; i++) {
        const activityId = await books.activity({ packets: 4 });
        const verdicts = await books.claims.confirm(
          [1, 2, 3].map((no) => reservationOf(activityId, `user-${no + (i % 3)}`, no)),
        );
        await end(activityId);
        await books.settleConfirmed(verdicts);
      }
    })();
    let count = 0;
    for (let time = 0; time < 10 || count === 0; time++) {
      const { findings, sealedNow } = await verifyUnsealed();
      expect(findings.filter(({ breaches }) => breaches > 0)).toEqual([]);
      count += sealedNow;
    }
    raining = false;
    await storm;
    await verifyUnsealed();
    expect(await brokenInAll()).toEqual([]);
    const [{ all }] = await books.dataSource.query('select count(*)::int as all from activity');
    expect(await sealed()).toHaveLength(all as number);
  });
});
