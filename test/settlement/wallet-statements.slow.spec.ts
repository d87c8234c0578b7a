import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extensions } from '../../src/extensions';
import { Erasing, TapTraces } from '../../src/extensions/erasure';
import { FORMATS, type Format, type Issued } from '../../src/extensions/statement/statement';
import { StatementRepository } from '../../src/extensions/statement/statement.repository';
import { StatementService } from '../../src/extensions/statement/statement.service';
import { textOf } from '../../src/extensions/statement/texts';
import type { Finding } from '../../src/core/reconciliation/verification.service';
import { invariants } from '../../src/invariants';
import { schema } from '../../src/schema';
import { insertErasure } from '../erasure/insert-erasure';
import { Chance } from '../faults/chance';
import { Books, OPERATOR } from '../harness/books';
import { codeOf } from '../harness/problems';
import { books, rain } from '../harness/shared-books';
import { clock, shareSteppedRain, steppedRain, test } from '../harness/stepped-rain';
import { archiveInto } from '../reconciliation/archiving';
import { verificationOver } from '../reconciliation/verifying';

const DAY_MS = 86_400_000;
/** How far the clock of Postgres moves while there are rains. */
const LONG_MS = 360 * DAY_MS;
const TOMORROW_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS;

/** Postgres, which dates the entries, has the clock that is set. */
shareSteppedRain((clock) => steppedRain(clock));

beforeAll(async () => {
  if (!clock) return;
  await books.addCurrency({ code: 'KWD', kind: 'money', name: 'Kuwaiti dinar' });
  await books.addCurrency({ code: 'COINS', kind: 'points', decimals: 0, name: 'Coins' });
});

const dayNo = (no: number): string => new Date(TOMORROW_MS + no * DAY_MS).toISOString().slice(0, 10);

/** Days are counted from tomorrow, so the clock only goes forward. */
const goTo = (no: number, hour = 12): void =>
  clock!.set(TOMORROW_MS + no * DAY_MS + hour * 3_600_000 - Date.now());

interface Movement {
  readonly transferId: string;
  readonly amount: string;
  readonly kind: string;
  readonly isLate: boolean;
  readonly isEarly: boolean;
}

interface Read {
  readonly issued: Issued;
  readonly texts: Readonly<Partial<Record<Format, string>>>;
  readonly movements: readonly Movement[];
}

/** Reads all texts of a statement, each of which has the digest that was kept. */
async function read(ownerId: string, day: string, code = 'CNY', of = books): Promise<Read> {
  const currency = await of.currencies.of(code);
  const issued = await of.serviceOf(StatementService).statementOf(ownerId, currency, day);
  const texts: Partial<Record<Format, string>> = {};
  for (const format of FORMATS.filter((one) => issued.digests[one])) {
    const pages = of.serviceOf(StatementRepository).pages(issued);
    const chunks: string[] = [];
    for await (const chunk of textOf(format, issued, currency, pages)) chunks.push(chunk);
    texts[format] = chunks.join('');
    expect(createHash('sha256').update(texts[format]).digest().equals(issued.digests[format]!)).toBe(true);
  }
  return { issued, texts, movements: JSON.parse(texts.json!).movements };
}

/** The entries of a wallet in the ledger, in its order. */
const ledgerOf = (ownerId: string, code = 'CNY') =>
  books.dataSource.query<{ id: string; day: string; amount: string }[]>(
    `select transfer.id, (transfer.created_at at time zone 'UTC')::date::text as day,
            case when credit_account_id = account.id then amount_minor else -amount_minor end as amount
       from account join transfer on account.id in (credit_account_id, debit_account_id)
      where owner_id = $1 and account.kind = 'wallet' and currency = $2 order by transfer.id`,
    [ownerId, code],
  );

const broken = async () =>
  (await verificationOver().verify())
    .filter(({ id, breaches }) => breaches > 0 && ['I1', 'I2', 'I41', 'I42'].includes(id))
    .map(({ id, details = [] }) => `${id} ${details.join(' ')}`);

/** Plays a rain to its end, in which these users win. */
async function playRain(sponsorId: string, users: readonly string[], currency?: string): Promise<string> {
  const wish = { packets: 4, totalMinor: 400n, sponsorId, currency, closesInMs: LONG_MS };
  const id = await books.activity(wish);
  await books.settlement.settle(await books.claim(id, users));
  await rain.loader.load(id);
  await rain.end(id);
  return id;
}

async function newChannel(): Promise<string> {
  await books.retireChannels();
  return books.createChannel();
}

async function payOut(channelId: string, userId: string, outcome: 'paid' | 'refused'): Promise<string> {
  const { id } = await books.askForPayout(userId, channelId, '0.05');
  await books.report(channelId, { id, outcome });
  return id;
}

const OWNERS = ['ann', 'bob', 'cyd'];
const CODES = ['CNY', 'KWD', 'COINS'];
const DAYS = 115;

test('a thousand days of nine wallets, issued in any order, follow each other and add up to the ledger', async () => {
  const chance = new Chance('a thousand days');
  const wallets = OWNERS.flatMap((owner) => CODES.map((code) => [owner, code] as const));
  goTo(0);
  for (const [owner, code] of wallets) await books.deposit(owner, 1_000n, code);
  const channelId = await newChannel();
  const issuedFirst = new Map<string, string>();
  for (let no = 1; no <= DAYS; no++) {
    goTo(no, chance.integer(1, 22));
    for (let deed = chance.integer(0, 3); deed > 0; deed--) {
      const [owner, code] = chance.pick(wallets);
      const deposit = await books.deposit(owner, BigInt(chance.integer(1, 10_000)), code);
      if (chance.isTrue(0.3)) await books.reverse(deposit);
    }
    if (chance.isTrue(0.15))
      await playRain(chance.pick(OWNERS), chance.shuffle(OWNERS).slice(1), chance.pick(CODES));
    if (chance.isTrue(0.15)) {
      const outcome = chance.pick(['paid', 'refused'] as const);
      const id = await payOut(channelId, chance.pick(OWNERS), outcome);
      if (outcome === 'paid' && chance.isTrue(0.5))
        await books.report(channelId, { id, outcome: 'returned' });
    }
    for (let asked = chance.integer(0, 4); asked > 0; asked--) {
      const [owner, code] = chance.pick(wallets);
      const day = dayNo(chance.integer(0, no - 1));
      const texts = JSON.stringify((await read(owner, day, code)).texts);
      expect(texts).toBe(issuedFirst.get(`${owner} ${code} ${day}`) ?? texts);
      issuedFirst.set(`${owner} ${code} ${day}`, texts);
    }
  }
  // Otherwise nearly all days would have been issued when nothing more could be added.
  expect(issuedFirst.size).toBeGreaterThan(100);
  goTo(DAYS + 1);
  let statements = 0;
  for (const [owner, code] of wallets) {
    const ledger = await ledgerOf(owner, code);
    const currency = await books.currencies.of(code);
    let balance = 0n;
    for (let no = 0; no <= DAYS; no++, statements++) {
      const { issued, movements, texts } = await read(owner, dayNo(no), code);
      const entries = ledger.filter(({ day }) => day === dayNo(no));
      expect(issued.openingMinor).toBe(balance);
      expect(movements.map(({ transferId, amount }) => [transferId, amount])).toEqual(
        entries.map(({ id, amount }) => [id, currency.format(BigInt(amount))]),
      );
      balance = entries.reduce((sum, { amount }) => sum + BigInt(amount), balance);
      expect(issued.closingMinor).toBe(balance);
      const first = issuedFirst.get(`${owner} ${code} ${dayNo(no)}`);
      if (first) expect(JSON.stringify(texts)).toBe(first);
    }
    expect(balance).toBe(BigInt(ledger.reduce((sum, { amount }) => sum + BigInt(amount), 0n)));
  }
  expect(statements).toBeGreaterThanOrEqual(1_000);
  expect(await broken()).toEqual([]);
});

test('what is posted after a day was issued appears in the next day, marked as late, and the day does not change', async () => {
  const day = DAYS + 10;
  goTo(day, 23);
  await books.deposit('lea', 100n);
  const slow = books.dataSource.createQueryRunner();
  await slow.startTransaction();
  await slow.query('select now()');
  goTo(day + 1, 1);
  const before = await read('lea', dayNo(day));
  const late = { amount: '7.00', currency: books.currency.code };
  await books.wallets.deposit(slow.manager, OPERATOR, 'lea', late, '987654321');
  await slow.commitTransaction();
  await slow.release();
  await books.deposit('lea', 1n);
  goTo(day + 2);
  const next = await read('lea', dayNo(day + 1));
  expect(next.movements.map(({ amount, isLate }) => [amount, isLate])).toEqual([
    ['7.00', true],
    ['0.01', false],
  ]);
  expect(next.texts.csv).toContain(',deposit,7.00,CNY,outside,,,');
  expect(next.texts.camt053).toContain('Late: dated before this day.');
  expect(next.issued.openingMinor).toBe(before.issued.closingMinor);
  expect((await read('lea', dayNo(day))).texts).toEqual(before.texts);
  expect(await broken()).toEqual([]);
});

test('a day that was not issued contains what began before midnight, whenever it was committed', async () => {
  const day = DAYS + 13;
  goTo(day, 23);
  await books.deposit('max', 100n);
  const slow = books.dataSource.createQueryRunner();
  await slow.startTransaction();
  await slow.query('select now()');
  goTo(day + 1, 1);
  const late = { amount: '7.00', currency: books.currency.code };
  await books.wallets.deposit(slow.manager, OPERATOR, 'max', late, '987654322');
  await slow.commitTransaction();
  await slow.release();
  await books.deposit('max', 1n);
  goTo(day + 2);
  expect((await read('max', dayNo(day + 1))).movements.map(({ amount }) => amount)).toEqual(['0.01']);
  expect((await read('max', dayNo(day))).movements.map(({ amount }) => amount)).toEqual(['1.00', '7.00']);
});

test('over fifty midnights, while three programs pay and two issue, each entry is in exactly one day', async (clock) => {
  const first = DAYS + 20;
  const programs = await Promise.all([1, 2, 3].map(() => Books.of(books.databaseUrl)));
  goTo(first - 1);
  await books.deposit('winner', 100n);
  for (let round = 0; round < 50; round++) {
    const day = first + round;
    goTo(day, 20);
    const claims: string[] = [];
    for (let i = 0; i < 3; i++)
      claims.push(
        ...(await books.claim(await books.activity({ packets: 1, closesInMs: LONG_MS }), ['winner'])),
      );
    clock.set(TOMORROW_MS + (day + 1) * DAY_MS - 60 - Date.now());
    await Promise.all([
      ...programs.map(async (program, i) => {
        for (let deposit = 0; deposit < 4; deposit++) await program.deposit('winner', 1n);
        await program.settlement.settle(claims.slice(i, i + 1));
        for (let deposit = 0; deposit < 4; deposit++) await program.deposit('winner', 1n);
      }),
      ...programs.slice(1).map((program) => issueOnce('winner', dayNo(day), program)),
    ]);
  }
  goTo(first + 51);
  const listed: string[] = [];
  let balance = 0n;
  for (let no = first - 1; no <= first + 50; no++) {
    const { issued, movements } = await read('winner', dayNo(no));
    expect(issued.openingMinor).toBe(balance);
    balance = issued.closingMinor;
    listed.push(...movements.map(({ transferId }) => transferId));
  }
  expect(listed).toEqual((await ledgerOf('winner')).map(({ id }) => id));
  expect(balance).toBe(await books.balance('winner'));
  await Promise.all(programs.map((program) => program.close()));
  expect(await broken()).toEqual([]);
});

/** Asks repeatedly until the day is over. */
async function issueOnce(ownerId: string, day: string, program: Books): Promise<void> {
  const currency = program.currency;
  const service = program.serviceOf(StatementService);
  while ((await codeOf(service.statementOf(ownerId, currency, day))) === 'statement.day_not_over');
}

test('a clock that was set back or ahead for some movements moves no others to another day, and the former are marked', async () => {
  const day = DAYS + 72;
  const depositOn = async (no: number, amount: bigint) => {
    goTo(no);
    await books.deposit('ida', amount);
  };
  await depositOn(day, 1n);
  await depositOn(day + 1, 2n);
  await depositOn(day + 2, 3n);
  await depositOn(day, 4n);
  await depositOn(day + 3, 5n);
  await depositOn(day + 6, 6n);
  await depositOn(day + 3, 7n);
  await books.deposit('ida', 8n);
  await depositOn(day + 4, 9n);
  goTo(day + 5);
  const marked: Record<number, string[]> = {};
  for (const no of [2, 0, 3, 1, 4]) {
    const { movements, texts } = await read('ida', dayNo(day + no));
    marked[no] = movements.map(
      ({ amount, isLate, isEarly }) => `${amount}${isLate ? ' late' : ''}${isEarly ? ' early' : ''}`,
    );
    expect(texts.csv!.split('\r\n').filter((line) => line.endsWith(',true,false'))).toHaveLength(
      movements.filter(({ isLate }) => isLate).length,
    );
    expect(texts.camt053!.includes('Early: dated after this day.')).toBe(
      movements.some((one) => one.isEarly),
    );
  }
  expect(marked).toEqual({
    0: ['0.01'],
    1: ['0.02'],
    2: ['0.03', '0.04 late'],
    3: ['0.05', '0.06 early', '0.07', '0.08'],
    4: ['0.09'],
  });
  expect(await broken()).toEqual([]);
});

/** Adds movements at one time, as many deposits would. */
const depositMany = (ownerId: string, many: number, after = 0): Promise<unknown> =>
  books.dataSource.query(
    `with wallet as (select id from account where owner_id = $1),
          funding as (select debit_account_id as id from transfer, wallet where credit_account_id = wallet.id limit 1),
          paid as (
            insert into transfer (kind, source_id, debit_account_id, credit_account_id, amount_minor)
            select 'deposit', 900000000 + wallet.id * 10000000 + $3 + no, funding.id, wallet.id, 1
              from wallet, funding, generate_series(1, $2::integer) as no
            returning 1)
     update account set balance_minor = balance_minor + case when account.id = wallet.id then $2 else -$2 end
       from wallet, funding where account.id in (wallet.id, funding.id)`,
    [ownerId, many, after],
  );

test('a day that is followed by more movements than one request walks past is issued by the next request', async () => {
  const day = DAYS + 67;
  goTo(day);
  await books.deposit('tom', 1n);
  goTo(day + 1);
  const many = 100_100;
  await depositMany('tom', many);
  expect(await codeOf(read('tom', dayNo(day)))).toBe('statement.too_far');
  const { issued, movements } = await read('tom', dayNo(day));
  expect([issued.closingMinor, movements.length]).toEqual([1n, 1]);
  goTo(day + 2);
  const { issued: long } = await read('tom', dayNo(day + 1));
  expect([long.openingMinor, long.movements]).toEqual([1n, many]);
  expect(await broken()).toEqual([]);
});

test('statements that a run has proven are trusted by the next run, and read again by verify --all', async () => {
  goTo(DAYS + 70);
  await books.deposit('ned', 1n);
  goTo(DAYS + 71);
  const { accountId } = (await read('ned', dayNo(DAYS + 70))).issued;
  const found = (findings: readonly Finding[], what: 'examined' | 'breaches') =>
    findings.filter(({ id }) => id === 'I41' || id === 'I42').map((finding) => finding[what]);
  const daily = async (what: 'examined' | 'breaches') =>
    found((await verificationOver().verifyUnsealed()).findings, what);
  await daily('examined');
  expect(await daily('examined')).toEqual([0, 0]);
  const harm = (by: number) =>
    books.dataSource.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await tx.query(
        `update wallet_statement_line set amount_minor = amount_minor + $2 where account_id = $1`,
        [accountId, by],
      );
    });
  await harm(1);
  expect(await daily('breaches')).toEqual([0, 0]);
  expect(found(await verificationOver().verify(), 'breaches')).toEqual([1, 1]);
  await harm(-1);
  expect(await broken()).toEqual([]);
});

describe('after months', () => {
  const day = DAYS + 80;
  const directory = mkdtempSync(join(tmpdir(), 'hongbao-statements-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  /** They get 2.00 and win 1.00 on the day, which is sealed two days later, 0.05 on the next day and 0.07 on the third. */
  const UNASKED = ['tim', 'uma'];
  /** uma's statement of the next day, the only one that is issued to them before their wins are archived. */
  let dayAfter: string;

  test('nothing that is done later changes a day: voids, refunds, returns, archiving, forgetting', async () => {
    goTo(day);
    const channelId = await newChannel();
    await books.deposit('pia', 500n);
    await books.deposit('host', 1_000n);
    const payoutId = await payOut(channelId, 'pia', 'paid');
    const wish = {
      packets: 4,
      totalMinor: 400n,
      sponsorId: 'host',
      split: { kind: 'equal' } as const,
      closesInMs: LONG_MS,
    };
    const id = await books.activity(wish);
    await books.settlement.settle(await books.claim(id, ['pia', 'guest', 'late']));
    const reversed = await books.deposit('host', 3n);
    for (const owner of UNASKED) await books.deposit(owner, 200n);
    const other = await books.activity({ ...wish, sponsorId: 'other-host' });
    await books.settlement.settle(await books.claim(other, UNASKED));
    goTo(day + 1);
    for (const owner of UNASKED) await books.deposit(owner, 5n);
    const owners = ['pia', 'host', 'guest'];
    const before = [];
    for (const owner of owners) before.push((await read(owner, dayNo(day))).texts);
    for (const [i, owner] of owners.entries())
      for (const other of owners.filter((one) => one !== owner))
        expect(JSON.stringify(before[i])).not.toContain(other);

    await books.report(channelId, { id: payoutId, outcome: 'returned' });
    await books.reverse(reversed);
    await rain.loader.load(id);
    await rain.end(id);
    await payAll('pia', channelId);
    await books.dataSource.query(`select setval('activity_id_seq', 20000)`);
    await books.dataSource.query(
      `update activity set tidied_at = now(), forgotten_at = now() where status <> 'active'`,
    );
    await endAll();
    goTo(day + 2);
    await verificationOver().verifyUnsealed();
    dayAfter = JSON.stringify((await read('uma', dayNo(day + 1))).texts);
    goTo(day + 3);
    for (const owner of UNASKED) await books.deposit(owner, 7n);
    goTo(day + 500);
    expect(await archiveInto(directory)).not.toEqual([]);
    const pseudonym = await forget('pia');
    const after = [];
    for (const owner of [pseudonym, 'host', 'guest']) after.push((await read(owner, dayNo(day))).texts);
    expect(after).toEqual(before);
    expect(await codeOf(read('pia', dayNo(day)))).toBe('statement.not_found');
    expect(await broken()).toEqual([]);
  });

  test('a day whose movements were archived before anyone asked is refused with that reason; later days are issued', async () => {
    expect(await codeOf(read('guest', dayNo(day - 1)))).toBe('statement.not_found');
    const [late] = await books.dataSource.query<{ owner: string }[]>(
      `select owner_id as owner from account where kind = 'wallet' and owner_id = 'late'`,
    );
    expect(late).toBeDefined();
    expect(await codeOf(read('late', dayNo(day)))).toBe('statement.archived');
    await books.deposit('late', 9n);
    goTo(day + 501);
    const { issued, movements } = await read('late', dayNo(day + 500));
    expect([issued.closingMinor, movements.length]).toEqual([109n, 1]);
    expect((await read('late', dayNo(day + 400))).issued.closingMinor).toBe(100n);
    expect(await broken()).toEqual([]);
  });

  test('days of an archived win that nobody asked for are refused up to the seal, and correct after it', async () => {
    for (let round = 0; round < 2; round++) {
      for (const no of [0, 1, 2])
        expect(await codeOf(read('tim', dayNo(day + no)))).toBe('statement.archived');
      expect(await balancesOf('tim', day + 3)).toEqual([305n, 312n, ['0.07']]);
      expect(await balancesOf('tim', day + 4)).toEqual([312n, 312n, []]);
    }
    const kept = await books.dataSource.query<{ days: number; lines: number }[]>(
      `select (select count(*) from wallet_statement where account_id = account.id)::integer as days,
              (select count(*) from wallet_statement_line where account_id = account.id)::integer as lines
         from account where owner_id = 'tim'`,
    );
    expect(kept).toEqual([{ days: 2, lines: 1 }]);
    expect(await broken()).toEqual([]);
  });

  test('an issued day leads past the archive to the days after it, and to no day before it', async () => {
    expect(await codeOf(read('uma', dayNo(day)))).toBe('statement.archived');
    expect(await balancesOf('uma', day + 2)).toEqual([305n, 305n, []]);
    expect(await balancesOf('uma', day + 3)).toEqual([305n, 312n, ['0.07']]);
    expect(JSON.stringify((await read('uma', dayNo(day + 1))).texts)).toBe(dayAfter);
    expect(await broken()).toEqual([]);
  });

  /** The opening and the closing balance of a day, and the amounts between them. */
  async function balancesOf(owner: string, no: number): Promise<[bigint, bigint, string[]]> {
    const { issued, movements } = await read(owner, dayNo(no));
    return [issued.openingMinor, issued.closingMinor, movements.map(({ amount }) => amount)];
  }

  async function payAll(owner: string, channelId: string): Promise<void> {
    const amount = books.currency.format(await books.balance(owner));
    const { id } = await books.askForPayout(owner, channelId, amount);
    await books.report(channelId, { id, outcome: 'paid' });
  }

  /** Ends all rains, so that all can be archived. */
  async function endAll(): Promise<void> {
    const open = await books.dataSource.query<{ id: string }[]>(
      `select id from activity where status = 'active' order by id`,
    );
    for (const { id } of open) {
      await rain.loader.load(id);
      await rain.end(id);
    }
    await books.dataSource.query(`update activity set tidied_at = now(), forgotten_at = now()`);
  }

  async function forget(id: string): Promise<string> {
    await insertErasure(books.dataSource, { userId: id, by: 'operator' });
    const config = {
      ...books.config,
      ERASURE_KEY: Buffer.alloc(32, 9).toString('base64'),
      ERASURE_KEEP_DAYS: 0,
      ARCHIVE_DIR: directory,
    };
    const parts = {
      schema,
      forgetting: extensions.flatMap(({ forgetting }) => forgetting ?? []),
      evidence: invariants.evidence,
      traces: new TapTraces(books.dataSource, rain.dispensing.own),
    };
    const lines: string[] = [];
    const done = await new Erasing(books.dataSource, config, parts, (line) => lines.push(line)).run();
    expect([done, lines]).toEqual([1, expect.anything()]);
    const [row] = await books.dataSource.query<{ pseudonym: string }[]>(
      `select pseudonym from erasure order by id desc limit 1`,
    );
    return row!.pseudonym;
  }
});

test('a day with more movements than a statement may have is refused, and nothing of it is kept', async () => {
  const day = DAYS + 84;
  goTo(day);
  await books.deposit('una', 1n);
  for (let no = 0; no < 10; no++) await depositMany('una', 100_000, no * 100_000);
  goTo(day + 1);
  await books.deposit('una', 2n);
  goTo(day + 2);
  expect(await codeOf(read('una', dayNo(day)))).toBe('statement.too_long');
  const kept = await books.dataSource.query(
    `select from wallet_statement join account on account.id = account_id where owner_id = 'una'`,
  );
  expect(kept).toEqual([]);
  const { issued } = await read('una', dayNo(day + 1));
  expect([issued.openingMinor, issued.movements]).toEqual([1_000_001n, 1]);
});
