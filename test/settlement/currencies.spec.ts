import fc from 'fast-check';
import { DataSource, QueryFailedError } from 'typeorm';
import { type NewsItem, NewsListeners } from '../../src/core/news';
import { WalletListService } from '../../src/core/wallet/wallet-list.service';
import { WonPacketsService } from '../../src/core/winners/won-packets.service';
import { CallRecords } from '../../src/extensions/payout/book/call-records';
import { PayoutRepository } from '../../src/extensions/payout/book/payout.repository';
import { PayoutNews } from '../../src/extensions/payout/watch/payout-news';
import { ReceivedTotals } from '../../src/extensions/sender/received-totals';
import { APP_ROLE } from '../../src/platform/postgres/app-role';
import { databaseUrl } from '../harness/engines';
import { openBooks, OPERATOR } from '../harness/books';
import { killBefore } from '../harness/killed-session';
import { books, rain, shareRain } from '../harness/shared-books';
import { verificationOver, within } from '../reconciliation/verifying';

/** Their minor units differ, so an amount that is read in another currency is another amount. */
const CODES = ['CNY', 'KWD', 'COINS'] as const;
type Code = (typeof CODES)[number];

shareRain();

beforeAll(async () => {
  await books.addCurrency({ code: 'KWD', kind: 'money', name: 'Kuwaiti Dinar' });
  await books.addCurrency({ code: 'COINS', kind: 'points', name: 'Coins' });
});

/** The currencies whose accounts do not add up to zero. */
const offZero = (): Promise<unknown[]> =>
  books.dataSource.query(
    'select currency, sum(balance_minor) from account group by 1 having sum(balance_minor) <> 0',
  );

/** Transfers between accounts of two currencies, according to the accounts. */
const crossing = (): Promise<unknown[]> =>
  books.dataSource.query(
    `select transfer.id from transfer
       join account debit on debit.id = debit_account_id
       join account credit on credit.id = credit_account_id
      where debit.currency <> credit.currency`,
  );

const balanceIn = async (ownerId: string, currency: Code): Promise<string> =>
  (await books.wallets.read(ownerId, { currency })).balance;

const setStatus = (user: string, status: 'active' | 'frozen', currency: Code) =>
  books.dataSource.transaction((tx) => books.wallets.setStatus(tx, OPERATOR, user, status, { currency }));

/** Lets users win everything, pays them, and ends the activity. */
async function play(activityId: string, userIds: readonly string[]): Promise<void> {
  await books.settlement.settle(await books.claim(activityId, userIds));
  await rain.end(activityId);
}

describe('a wallet', () => {
  it('has one currency: its owner has another wallet for each other currency, and amounts have the decimals of theirs', async () => {
    await books.deposit('ann', 7_105n, 'KWD');
    await books.deposit('ann', 25n, 'COINS');
    await books.deposit('ann', 710n);
    expect(await Promise.all(CODES.map((code) => balanceIn('ann', code)))).toEqual(['7.10', '7.105', '25']);
    expect((await books.wallets.allOf('ann')).items).toEqual([
      { balance: '7.10', pending: '0.00', currency: 'CNY' },
      { balance: '7.105', pending: '0.000', currency: 'KWD' },
      { balance: '25', pending: '0', currency: 'COINS' },
    ]);
    expect((await books.wallets.entries('ann', { limit: 10, currency: 'KWD' })).items).toMatchObject([
      { kind: 'deposit', amount: '7.105', currency: 'KWD' },
    ]);
  });

  it('that is frozen does not affect the wallets of its owner in other currencies', async () => {
    await setStatus('bea', 'frozen', 'COINS');
    const status = async (currency: Code) => (await books.wallets.read('bea', { currency })).status;
    expect([await status('COINS'), await status('CNY')]).toEqual(['frozen', 'active']);
  });

  it('shows money on its way only in its own currency, even before its first payment has created it', async () => {
    const id = await books.activity({ packets: 1, totalMinor: 9n, currency: 'COINS' });
    const claims = await books.claim(id, ['lia']);
    expect((await books.wallets.allOf('lia')).items).toEqual([
      { balance: '0.00', pending: '0.00', currency: 'CNY' },
      { balance: '0', pending: '9', currency: 'COINS' },
    ]);
    await books.settlement.settle(claims);
  });

  it('is listed in its currency even if all that its owner has there is a win that is held', async () => {
    const id = await books.activity({ packets: 1, totalMinor: 9n, currency: 'COINS' });
    const claims = await books.claim(id, ['mo']);
    const letter = await books.dataSource.transaction((tx) =>
      books.letters.hold(tx, claims[0]!, 'Too lucky.'),
    );
    expect((await books.wallets.allOf('mo')).items).toEqual([
      { balance: '0.00', pending: '0.00', currency: 'CNY' },
      { balance: '0', pending: '0', currency: 'COINS' },
    ]);
    await books.replay(letter!.id);
    await books.settlement.settle(claims);
  });

  it('is listed for staff only among the wallets of its currency', async () => {
    for (const code of CODES) await books.deposit(`kim-${code}`, 25n, code);
    for (const currency of CODES) {
      const query = { limit: 10, ownerId: 'kim', currency };
      const { items } = await books.serviceOf(WalletListService).wallets(query);
      expect(items).toMatchObject([{ ownerId: `kim-${currency}`, currency }]);
    }
  });
});

describe('a rain', () => {
  it('in another currency pays into wallets of that currency, and gives back what nobody won', async () => {
    const id = await books.activity({
      packets: 4,
      totalMinor: 40n,
      sponsorId: 'host',
      currency: 'COINS',
      split: { kind: 'equal' },
    });
    await play(id, ['cid', 'dan', 'eve']);
    expect([await balanceIn('cid', 'COINS'), await balanceIn('cid', 'CNY')]).toEqual(['10', '0.00']);
    expect([await balanceIn('host', 'COINS'), await balanceIn('host', 'CNY')]).toEqual(['10', '0.00']);
    const [batch] = await books.dataSource.query<{ terms: string }[]>(
      'select terms from packet_batch where activity_id = $1',
      [id],
    );
    expect(JSON.parse(batch!.terms)).toMatchObject({ currency: 'COINS', total: '40' });
    expect(await books.broken()).toEqual([]);
  });

  it('in each currency keeps its own chain of credits, even if one batch pays several currencies', async () => {
    const rains: string[] = [];
    for (const currency of [...CODES, ...CODES])
      rains.push(await books.activity({ packets: 1, sponsorId: 'chained', currency }));
    const claims: string[] = [];
    for (const id of rains) claims.push(...(await books.claim(id, ['fay'])));
    // A batch that fails is halved, which would hide that it cannot be paid as a whole.
    expect(await books.settlements.credit(claims)).toMatchObject({ paid: rains.length, buried: 0 });
    for (const [i, currency] of CODES.entries()) {
      const { items } = await books.wallets.entries('fay', { limit: 10, currency });
      expect(items.map(({ activityId }) => activityId)).toEqual([rains[i + 3], rains[i]]);
      expect(new Set(items.map((item) => item.currency))).toEqual(new Set([currency]));
    }
    const total = (currency: Code, amount: string) => ({ currency, packets: 2, amount, isComplete: true });
    const totals = [total('CNY', '2.00'), total('COINS', '200'), total('KWD', '0.200')];
    // The second time, the sums come from what was kept.
    for (let time = 0; time < 2; time += 1)
      expect(await books.serviceOf(ReceivedTotals).of('fay')).toEqual(totals);
    expect(await books.broken()).toEqual([]);
  });

  it('pays a winner in each currency except the one in which their wallet is frozen', async () => {
    await setStatus('ivo', 'frozen', 'COINS');
    const claims: string[] = [];
    for (const currency of ['CNY', 'COINS'] as const)
      claims.push(...(await books.claim(await books.activity({ packets: 1, currency }), ['ivo'])));
    expect(await books.settlements.credit(claims)).toMatchObject({ paid: 1, buried: 1 });
    const letters = await books.dataSource.query(`select claim_id from dead_letter where user_id = 'ivo'`);
    expect(letters).toEqual([{ claim_id: claims[1] }]);
    expect(await balanceIn('ivo', 'COINS')).toBe('0');
  });

  it('credits no wallet of another currency, whatever its row says', async () => {
    await books.deposit('rob', 100n);
    const id = await books.activity({ packets: 1, totalMinor: 9n, currency: 'COINS' });
    const claims = await books.claim(id, ['rob']);
    const relabel = (code: Code) =>
      books.dataSource.query('update activity set currency = $2 where id = $1', [id, code]);
    await relabel('CNY');
    expect(await books.settlements.credit(claims)).toMatchObject({ paid: 0, buried: 1 });
    expect([await balanceIn('rob', 'CNY'), await balanceIn('rob', 'COINS')]).toEqual(['1.00', '0']);
    await relabel('COINS');
    const [letter] = await books.dataSource.query<[{ id: string }]>(
      'select id from dead_letter where claim_id = $1',
      [claims[0]],
    );
    await books.replay(letter.id);
    expect(await books.settlements.credit(claims)).toMatchObject({ paid: 1 });
    expect(await balanceIn('rob', 'COINS')).toBe('9');
    expect(await books.broken()).toEqual([]);
  });

  it('of one currency is on no page of a list in another currency, which refuses the cursors of others', async () => {
    for (const currency of [...CODES, ...CODES])
      await play(await books.activity({ packets: 1, sponsorId: 'host', currency }), ['hal']);
    const { nextCursor: cursor } = await books.wallets.entries('hal', { limit: 1 });
    const packets = books.serviceOf(WonPacketsService);
    const { nextCursor: ofPackets } = await packets.ofUser('hal', { limit: 1 });
    const refused = { code: 'request.invalid', fields: [{ field: 'cursor' }] };
    for (const currency of CODES.slice(1)) {
      await expect(
        books.wallets.entries('hal', { limit: 5, currency, cursor: cursor! }),
      ).rejects.toMatchObject(refused);
      await expect(packets.ofUser('hal', { limit: 5, currency, cursor: ofPackets! })).rejects.toMatchObject(
        refused,
      );
    }
    const rest = await books.wallets.entries('hal', { limit: 5, cursor: cursor! });
    expect(rest.items.map(({ currency }) => currency)).toEqual(['CNY']);
  });

  it('accepts no top-up in a currency other than its own, nor one that names no currency', async () => {
    const id = await books.activity({ packets: 1, sponsorId: 'adder', currency: 'KWD' });
    const add = (currency?: Code) =>
      books.dataSource.transaction((tx) =>
        books.topUps.add(tx, OPERATOR, id, { amount: '1.00', packetCount: 1, currency }),
      );
    const refused = {
      code: 'request.invalid',
      fields: [{ field: 'currency', rule: 'one-of', values: ['KWD'] }],
    };
    await expect(add()).rejects.toMatchObject(refused);
    await expect(add('COINS')).rejects.toMatchObject(refused);
  });
});

describe('a payout channel', () => {
  it('pays out its own currency only, from the wallet of that currency', async () => {
    const id = await books.createChannel({ smallest: '0.005' }, { currency: 'KWD' });
    await books.deposit('gus', 1_000n, 'KWD');
    await books.deposit('gus', 1_000n);
    const ask = (amount: string, currency?: Code) => books.askForPayout('gus', id, amount, currency);
    await expect(ask('1.00')).rejects.toMatchObject({
      fields: [{ field: 'currency', rule: 'one-of', values: ['KWD'] }],
    });
    const payout = await ask('0.005', 'KWD');
    expect(payout).toMatchObject({ amount: '0.005', currency: 'KWD' });
    await books.report(id, { id: payout.id, outcome: 'paid' });
    expect([await balanceIn('gus', 'KWD'), await balanceIn('gus', 'CNY')]).toEqual(['0.995', '10.00']);
    await expect(books.activity({ packets: 1, payout: { channelId: id } })).rejects.toMatchObject({
      fields: [{ field: 'payout.channelId' }],
    });
    expect([await offZero(), await books.broken()]).toEqual([[], []]);
  });

  it('takes new limits only from a request that names its currency', async () => {
    const id = await books.createChannel({ smallest: '0.005' }, { currency: 'KWD' });
    const change = (currency?: Code) =>
      books.channels.change(OPERATOR, id, { currency, profile: { perDay: '9.005' } });
    for (const code of [undefined, 'COINS'] as const)
      await expect(change(code)).rejects.toMatchObject({
        fields: [{ field: 'currency', rule: 'one-of', values: ['KWD'] }],
      });
    expect((await change('KWD')).profile).toMatchObject({ perDay: '9.005' });
  });

  it('notifies the users of its payouts of amounts in its own currency', async () => {
    const channelId = await books.createChannel({ smallest: '0.005' }, { currency: 'KWD' });
    await books.deposit('ira', 7_105n, 'KWD');
    const { id: payoutId } = await books.askForPayout('ira', channelId, '7.105', 'KWD');
    await books.report(channelId, { id: payoutId, outcome: 'paid' });
    const heard: NewsItem[] = [];
    const listeners = new NewsListeners();
    listeners.addListener({
      anybodyListens: () => Promise.resolve(true),
      publish: (news) => Promise.resolve(void heard.push(...news)),
    });
    const payouts = books.serviceOf(PayoutRepository);
    const news = new PayoutNews(payouts, listeners, books.currencies, books.dataSource);
    await news.publish(new AbortController().signal);
    expect(heard.filter(({ userId }) => userId === 'ira')).toMatchObject([
      { event: 'payout.paid', data: { payoutId, amount: '7.105', currency: 'KWD' } },
    ]);
  });
});

describe('the books of three currencies', () => {
  const channels = new Map<Code, string>();
  const users = ['u1', 'u2', 'u3', 'u4'];

  beforeAll(async () => {
    for (const currency of CODES) {
      const smallest = currency === 'COINS' ? '1' : '0.01';
      channels.set(currency, await books.createChannel({ smallest }, { currency }));
    }
  });

  async function paidOut(
    code: Code,
    minor: bigint,
    user: string,
    outcome: 'paid' | 'refused',
  ): Promise<string> {
    await books.deposit(user, minor, code);
    const [channelId, currency] = [channels.get(code)!, await books.currencies.of(code)];
    const amount = currency.format(minor > 10n ? minor : 10n + minor);
    await books.deposit(user, 10n, code);
    const { id } = await books.askForPayout(user, channelId, amount, code);
    await books.report(channelId, { id, outcome });
    return id;
  }

  const run: Record<string, (code: Code, minor: bigint, user: string) => Promise<unknown>> = {
    deposit: (code, minor, user) => books.deposit(user, minor, code),
    rain: async (code, minor, user) =>
      play(
        await books.activity({ packets: 4, totalMinor: minor, sponsorId: user, currency: code }),
        users.slice(0, 3),
      ),
    payout: (code, minor, user) => paidOut(code, minor, user, 'paid'),
    refused: (code, minor, user) => paidOut(code, minor, user, 'refused'),
    returned: async (code, minor, user) => {
      const id = await paidOut(code, minor, user, 'paid');
      await books.report(channels.get(code)!, { id, outcome: 'returned' });
    },
    void: async (code, minor, user) => {
      const id = await books.activity({ packets: 2, totalMinor: minor, sponsorId: 'host', currency: code });
      await setStatus(user, 'frozen', code);
      await books.settlement.settle(await books.claim(id, [user]));
      const [letter] = await books.letters.list('open', undefined, 1, { activityId: id });
      await books.declareVoid(letter!.id);
      await setStatus(user, 'active', code);
      await rain.end(id);
    },
  };

  const step = {
    kind: fc.constantFrom('deposit', 'rain', 'payout', 'refused', 'returned', 'void'),
    code: fc.constantFrom(...CODES),
    minor: fc.bigInt({ min: 4n, max: 5_000n }),
    user: fc.constantFrom(...users),
  };

  it('each add up to zero at every step, whatever is deposited, rained, paid out, returned, declared void or refunded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record(step), { minLength: 1, maxLength: 8 }), async (steps) => {
        for (const { kind, code, minor, user } of steps) {
          await run[kind]!(code, minor, user);
          expect([kind, await offZero(), await crossing()]).toEqual([kind, [], []]);
        }
      }),
      { numRuns: 12 },
    );
    expect(await books.broken()).toEqual([]);
  });

  it('each add up to zero as well if the session is killed before any statement of any of these', async () => {
    const killed = { kills: 0, ended: 0 };
    const steps = fc.array(fc.record({ ...step, before: fc.nat({ max: 80 }) }), {
      minLength: 4,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (some) => {
        for (const { kind, code, minor, user, before } of some) {
          const killer = killBefore(books.dataSource, before);
          const failed = await run[kind]!(code, minor, user).catch((error: unknown) => error ?? 'failed');
          const kills = await killer.disarm();
          // What was killed may be done or not, but nothing is half done.
          if (kills === 0 && failed instanceof Error) throw failed;
          killed.kills += kills;
          killed.ended += failed instanceof Error ? 0 : 1;
          expect([kind, before, await offZero(), await crossing()]).toEqual([kind, before, [], []]);
          await setStatus(user, 'active', code);
        }
      }),
      { numRuns: 12, endOnFailure: true },
    );
    expect(killed.kills).toBeGreaterThan(20);
    expect(killed.ended).toBeGreaterThan(5);
    expect(await books.broken()).toEqual([]);
  });
});

describe('Postgres', () => {
  const ATTEMPTS = 1_500;

  /** A statement that would move something from one currency into another. */
  const attempts = fc
    .record({
      from: fc.constantFrom(...CODES),
      to: fc.constantFrom(...CODES),
      kind: fc.constantFrom(
        'deposit',
        'fund',
        'credit',
        'void',
        'refund',
        'payout',
        'payout-paid',
        'reversal',
        'top-up',
      ),
      way: fc.constantFrom('insert', 'copy', 'relabel', 'renumber', 'open', 'both'),
      pick: fc.nat({ max: 1_000 }),
      amount: fc.integer({ min: 1, max: 1_000 }),
    })
    .filter(({ from, to }) => from !== to);

  function statementOf(
    { from, to, kind, way, pick, amount }: AttemptOf<typeof attempts>,
    serial: number,
  ): string {
    const account = (code: Code) =>
      `(select id from account where currency = '${code}' order by md5(id::text || '${pick}') limit 1)`;
    const activity = ['fund', 'credit', 'void', 'refund', 'top-up'].includes(kind) ? '1' : 'null::bigint';
    const columns = 'kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor';
    const number = `(select number from currency where code = '${to}')`;
    switch (way) {
      case 'insert':
        return `insert into transfer (${columns}) values ('${kind}', ${serial}, ${activity}, ${account(from)}, ${account(to)}, ${amount})`;
      case 'copy':
        return `insert into transfer (${columns})
                select kind, ${serial}, activity_id, debit_account_id, ${account(to)}, amount_minor from transfer
                 where debit_account_id = ${account(from)} limit 1`;
      case 'relabel':
        return `update account set currency = '${to}' where id = ${account(from)}`;
      case 'renumber':
        return `update account set currency = '${to}', currency_number = ${number} where id = ${account(from)}`;
      case 'open':
        return `with opened as (
                  insert into account (id, owner_id, kind, currency, currency_number) overriding system value
                  values (900000000000 + ${serial}, 'thief ${serial}', 'wallet', '${to}', ${number}) returning id)
                insert into transfer (${columns}) select '${kind}', ${serial}, ${activity}, ${account(from)}, id, ${amount} from opened`;
      case 'both':
        return `with moved as (
                  update account set id = (${number}::bigint << 48) | (id & ((1::bigint << 48) - 1)), currency = '${to}',
                         currency_number = ${number} where id = ${account(from)} returning id)
                insert into transfer (${columns}) select '${kind}', ${serial}, ${activity}, ${account(from)}, id, ${amount} from moved`;
    }
  }

  it.each(['the role of the programs', 'the owner of the tables'])(
    'lets nothing go from one currency into another for %s, whatever the statement',
    async (who) => {
      const name = new URL(books.databaseUrl).pathname.slice(1);
      const url = databaseUrl(name, who.includes('role') ? APP_ROLE : undefined);
      const session = new DataSource({ type: 'postgres', url });
      await session.initialize();
      const before = await crossing();
      let [serial, refused] = [who.includes('role') ? 500_000_000 : 600_000_000, 0];
      try {
        await fc.assert(
          fc.asyncProperty(attempts, async (attempt) => {
            const statement = statementOf(attempt, (serial += 1));
            await session.query(statement).catch((error: unknown) => {
              if (!(error instanceof QueryFailedError)) throw error;
              refused += 1;
            });
          }),
          { numRuns: ATTEMPTS },
        );
      } finally {
        await session.destroy();
      }
      expect(refused).toBeGreaterThan(ATTEMPTS / 2);
      expect([before, await crossing(), await offZero()]).toEqual([[], [], []]);
    },
  );
});

type AttemptOf<T> = T extends fc.Arbitrary<infer Attempt> ? Attempt : never;

it('verification names a currency whose balances do not add up, and accounts in another currency than their ids say', async () => {
  const clean = await verificationOver().verify();
  expect(clean.find(({ id }) => id === 'I30')).toMatchObject({ examined: 3, breaches: 0 });
  await books.undoing(async (tx) => {
    await tx.query(
      `update account set balance_minor = balance_minor + 5 where kind = 'funding' and currency = 'KWD'`,
    );
    await tx.query(
      `alter table account drop constraint account_id_has_currency, drop constraint account_currency_known`,
    );
    await tx.query(`update account set currency = 'COINS' where owner_id = 'gus' and currency = 'CNY'`);
    const found = await within(tx).verify();
    const broken = found.filter(({ breaches }) => breaches > 0).map(({ id }) => id);
    expect(broken).toEqual(expect.arrayContaining(['I1', 'I2', 'I14', 'I30']));
    expect(found.find(({ id }) => id === 'I30')!.details).toEqual([
      'The balances in CNY add up to -10.00.',
      'The balances in COINS add up to 1000.',
      '1 accounts in COINS have ids of another currency.',
      'The balances in KWD add up to 0.005.',
    ]);
  });
});

it('a program that does not say in which currency it approves, as earlier programs do not, approves in the default only', async () => {
  const ask = async (currency: Code | null): Promise<string> => {
    const [row] = await books.dataSource.query<{ id: string }[]>(
      `insert into approval (action, subject_id, source_id, amount_minor, terms, asked_by, expires_at, currency)
       values ('payout.resolve', '1', 1, 5, '{}', 'asker', now() + interval '1 hour', $1) returning id`,
      [currency],
    );
    return row!.id;
  };
  const decide = async (id: string, status: 'approved' | 'rejected'): Promise<void> =>
    books.undoing(async (tx) => {
      await tx.query(
        `update approval set status = $2, decided_by = 'decider', decided_at = now() where id = $1`,
        [id, status],
      );
    });
  await expect(decide(await ask('KWD'), 'approved')).rejects.toThrow('approval_in_its_currency');
  await decide(await ask('KWD'), 'rejected');
  await decide(await ask(null), 'approved');
});

it.each([
  ['sends', `update payout set state = 'sending', calls = calls + 1, last_sent_at = now() where id = $1`],
  ['shows', `update payout set calls = greatest(calls, 1), last_sent_at = now() where id = $1`],
])(
  'a program that %s payouts without counting that in their currency, as earlier programs do, is stopped',
  async (_, sql) => {
    const asked = async (currency: Code): Promise<string> => {
      const user = `called-in-${currency}`;
      const channelId = await books.createChannel({ smallest: '1' }, { currency });
      await books.deposit(user, 10_000n, currency);
      return (await books.askForPayout(user, channelId, '1', currency)).id;
    };
    const call = (id: string) => books.undoing((tx) => tx.query(sql, [id]));
    await expect(call(await asked('COINS'))).rejects.toThrow('payout_called_in_its_currency');
    await call(await asked('CNY'));
  },
);

it('a payout in another currency is shown to its channel and sent to it', async () => {
  const channelId = await books.createChannel({ smallest: '1' }, { currency: 'COINS' });
  await books.deposit('coin-user', 10n, 'COINS');
  const { id } = await books.askForPayout('coin-user', channelId, '1', 'COINS');
  const note = () =>
    books.dataSource.transaction((tx) => books.serviceOf(PayoutRepository).noteRead(tx, [id]));
  expect(await note()).toMatchObject([{ id, isFirst: true }]);
  const payout = { id, method: 'PUT', state: 'reserved' } as const;
  const made = await books.dataSource.transaction((tx) =>
    books.serviceOf(CallRecords).record(tx, [payout], 10),
  );
  expect(made.get(id)).toMatchObject({ no: 2 });
});

it('a currency is entered once, with decimals that its kind allows, and reserved codes are refused', async () => {
  const add = (code: string, kind: 'money' | 'points', decimals?: 0 | 1 | 2 | 3) =>
    books.addCurrency({ code, kind, decimals, name: 'Some' });
  await expect(add('COINS', 'points')).rejects.toMatchObject({ code: 'currency.exists' });
  for (const [code, kind, decimals, field] of [
    ['EUR', 'money', 3, 'decimals'],
    ['GEMS', 'points', 3, 'decimals'],
    ['CLF', 'money', undefined, 'code'],
    ['XTS', 'money', undefined, 'code'],
    ['CODE7', 'points', 0, 'code'],
    ['EUR', 'points', 0, 'code'],
    ['gems', 'points', 0, 'code'],
    ['GEMSGEMSGEMS1', 'points', 0, 'code'],
  ] as const)
    await expect(add(code, kind, decimals)).rejects.toMatchObject({
      code: 'request.invalid',
      fields: [{ field }],
    });
  await expect(
    books.dataSource.query(`update currency set decimals = 1 where code = 'COINS'`),
  ).rejects.toThrow();
  await expect(books.dataSource.query(`delete from currency where code = 'COINS'`)).rejects.toThrow();
});

it('a program for which the default currency has other decimals than in its data does not start', async () => {
  const { books: other, close } = await openBooks();
  try {
    await other.dataSource.query('alter table currency disable trigger append_only');
    await other.dataSource.query('update currency set decimals = 3 where number = 0');
    await expect(other.currencies.enterDefault()).rejects.toThrow(
      'CNY has 2 decimals, but this data was written with 3.',
    );
  } finally {
    await close();
  }
});
