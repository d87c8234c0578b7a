import { createHash, randomUUID } from 'node:crypto';
import { IdempotentRequest } from '../../src/platform/http';
import { ApprovalRequests } from '../../src/extensions/approval/approval-requests';
import { ClaimLogLeader } from '../../src/extensions/claim-log/claim-log-leader';
import { ClaimLogRepository } from '../../src/extensions/claim-log/claim-log.repository';
import { ClaimLogService } from '../../src/extensions/claim-log/claim-log.service';
import { ErasureRepository } from '../../src/extensions/erasure/erasure.repository';
import { ErasureService } from '../../src/extensions/erasure/erasure.service';
import { Renaming } from '../../src/extensions/erasure/renaming';
import { SealRepository } from '../../src/core/reconciliation';
import { schema } from '../../src/schema';
import { redPacketId } from '../../libs/red-packet-id';
import { requestOf } from '../harness/books';
import { waitFor } from '../harness/engines';
import { books, rain, shareRain } from '../harness/shared-books';
import { broken, verificationOver } from '../reconciliation/verifying';
import { erase, requestErasure, saltsOf } from './erasing';
import { insertErasure } from './insert-erasure';
import { forgotten, pseudonyms, rows } from './forgotten';
import { forgetInRedis, live, newChannel, newId, payAll, playedRain } from './person';
import { columnsWith, statisticsWith } from './search';

shareRain();

const askToErase = (id: string, by = 'asker'): Promise<{ id: string }> =>
  books.serviceOf(ErasureService).askToErase(requestOf(by), id);

/** Pays out all money of someone. */
async function paidPayout(id: string): Promise<{ id: string; channelId: string }> {
  await books.deposit(id, 7n);
  const channelId = await newChannel(rain);
  const payout = await books.askForPayout(id, channelId, '0.07');
  await books.report(channelId, { id: payout.id, outcome: 'paid' });
  return { id: payout.id, channelId };
}

/** Adds a finding. Returns a function that ends it. */
async function found(userId: string, payoutId: string | null, detail: object) {
  const [{ id }] = await books.dataSource.query<[{ id: string }]>(
    `insert into payout_finding (channel_id, payout_id, kind, detail, line) values (1, $1, 'file-differs', $2, $3) returning id`,
    [payoutId, detail, JSON.stringify({ userId })],
  );
  return () =>
    books.dataSource.query(
      `update payout_finding set ended_at = now(), ended_by = 'ann', resolution = 'Done.' where id = $1`,
      [id],
    );
}

type Steps = Record<string, (...args: unknown[]) => Promise<unknown>>;

/** The object that has this step of an erasure as a method. */
function ownerOf(step: string): Steps {
  if (step === 'find') return Renaming as unknown as Steps;
  return (step === 'revise' ? SealRepository.prototype : Renaming.prototype) as unknown as Steps;
}

it('every column that holds people according to its name is declared', async () => {
  const columns = await books.dataSource.query<{ table: string; name: string; type: string }[]>(
    `select relname as table, attname as name, format_type(atttypid, null) as type
       from pg_class join pg_attribute on attrelid = pg_class.oid
      where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace
        and attnum > 0 and not attisdropped`,
  );
  const isDeclared = (table: string, name: string) =>
    (schema.people[table] ?? []).some((column) => column.split(' ')[0] === name);
  const found = columns
    .filter(
      ({ name, type }) =>
        /text|json/.test(type) &&
        /user|sponsor|person|people|actor|owner|principal|_by$|^by$/.test(name) &&
        !name.endsWith('_role'),
    )
    .filter(({ table, name }) => !isDeclared(table, name))
    .map(({ table, name }) => `${table}.${name}`);
  expect(found).toEqual(['erasure.user_id']);
});

describe('an erasure', () => {
  it('leaves the id in no column of any table, and every invariant, seal and proof holds', async () => {
    const id = newId();
    await live(rain, id);
    await verificationOver().verifyUnsealed();
    await requestErasure(id);
    const lived = await columnsWith(books.dataSource, id);
    const declared = Object.entries(schema.people).flatMap(([table, columns]) =>
      columns.map((column) => `${table === 'claim' ? 'claim_0' : table}.${column.split(' ')[0]}`),
    );
    expect(declared.filter((column) => !lived.includes(column)).sort()).toEqual(NOT_LIVED);
    expect(await broken()).toEqual([]);
    expect(await erase()).toBe(1);
    expect(await columnsWith(books.dataSource, id)).toEqual([]);
    expect(await broken()).toEqual([]);
  });

  it('is under way for the person who asked for it, who could approve it alone after an erasure of their own', async () => {
    const erasures = books.serviceOf(ErasureService);
    const staff = newId();
    const { id } = (await erasures.askToErase(requestOf(staff), newId())) as { id: string };
    expect((await erasures.standing(staff)).underWay).toEqual([{ what: 'approval', id }]);
    await expect(erasures.askToErase(requestOf('asker'), staff)).rejects.toMatchObject({
      code: 'erasure.under_way',
    });
  });

  it('is refused while records are kept, and the refusal says until when', async () => {
    const person = newId();
    await books.deposit(person, 1n);
    const channelId = await newChannel(rain);
    const { id } = await books.askForPayout(person, channelId, '0.01');
    await books.report(channelId, { id, outcome: 'paid' });
    const refusal = books.serviceOf(ErasureService).askToErase(requestOf('asker'), person);
    const { keptUntil } = await books.serviceOf(ErasureService).standing(person);
    await expect(refusal).rejects.toMatchObject({
      code: 'erasure.kept',
      message: `Records of ${person} have to be kept until ${keptUntil}.`,
    });
  });

  it('that someone has asked for cannot be asked for again until it is rejected or ends; the refusal and the standing name it', async () => {
    const erasures = books.serviceOf(ErasureService);
    const person = newId();
    const openRequests = async () => (await erasures.standing(person)).underWay;
    const expectNamed = async (what: string, id: string) => {
      expect(await openRequests()).toEqual([{ what, id }]);
      await expect(askToErase(person, 'other')).rejects.toMatchObject({
        code: 'erasure.requested',
        message: `A request has already been made to forget ${person}: see ${what} ${id}.`,
      });
    };
    const rejected = await askToErase(person);
    await expectNamed('approval', rejected.id);
    await books.approvals.reject(requestOf('decider'), rejected.id);
    expect(await openRequests()).toEqual([]);

    const expired = await askToErase(person);
    await books.dataSource.query('update approval set expires_at = now() where id = $1', [expired.id]);
    expect(await openRequests()).toEqual([]);

    const { id } = await askToErase(person);
    await expectNamed('approval', id);
    await books.approvals.approve(requestOf('decider'), id);
    await expectNamed('erasure', (await erasures.list({ limit: 1 })).items[0]!.id);
    expect(await erase()).toBe(1);
    expect(await openRequests()).toEqual([]);
    expect(await broken()).toEqual([]);
  });

  it('that two people request at once is requested once', async () => {
    const person = newId();
    const requests = books.serviceOf(ApprovalRequests);
    const request = requests.requestDeeds.bind(requests);
    let second: Promise<unknown> | undefined;
    const spy = jest.spyOn(requests, 'requestDeeds').mockImplementationOnce(async (...args) => {
      const answers = await request(...args);
      second = askToErase(person, 'other').catch((error: unknown) => error);
      const waits = async () => (await books.blocked()).length > 0;
      await Promise.race([second, waitFor(waits, { what: 'a second request that waits' })]);
      return answers;
    });
    const { id } = await askToErase(person);
    spy.mockRestore();
    expect(await second).toMatchObject({
      code: 'erasure.requested',
      message: expect.stringContaining(`see approval ${id}`),
    });
  });

  it.each(['withdrawn', 'done'] as const)(
    'that is %s is not approved again by a second request, which an older program has accepted',
    async (end) => {
      const erasures = books.serviceOf(ErasureService);
      const person = newId();
      const { id } = await askToErase(person);
      const [{ id: second }] = await books.dataSource.query<[{ id: string }]>(
        `insert into approval (action, subject_id, source_id, amount_minor, terms, asked_by, expires_at)
         select action, subject_id, -source_id, amount_minor, terms, 'other', expires_at from approval where id = $1
         returning id`,
        [id],
      );
      const approve = (one: string) => books.approvals.approve(requestOf('decider'), one);
      await approve(id);
      await expect(approve(second)).rejects.toMatchObject({ code: 'erasure.requested' });
      if (end === 'withdrawn')
        await erasures.withdraw(requestOf('third'), (await erasures.list({ limit: 1 })).items[0]!.id);
      else expect(await erase()).toBe(1);
      await expect(approve(second)).rejects.toMatchObject({
        code: end === 'withdrawn' ? 'approval.not_pending' : 'erasure.pseudonym',
      });
      expect(await erase()).toBe(0);
      expect(await broken()).toEqual([]);
    },
  );

  it('that is withdrawn before it begins forgets nobody, no longer has an id, and can be requested again', async () => {
    const erasures = books.serviceOf(ErasureService);
    const person = newId();
    const life = await live(rain, person);
    const ask = async () => {
      await requestErasure(person);
      return (await erasures.list({ limit: 1 })).items[0]!.id;
    };
    const id = await ask();
    const withdrawn = {
      ...{ id, status: 'withdrawn', userId: null, pseudonym: null, doneAt: null },
      ...{ withdrawnBy: 'third', withdrawnAt: expect.any(String) as string },
    };
    expect(await erasures.withdraw(requestOf('third'), id)).toMatchObject(withdrawn);
    expect(await erasures.read(id)).toMatchObject(withdrawn);
    expect(await erase()).toBe(0);
    expect(await saltsOf(life.won)).toBeGreaterThan(0);
    expect(await broken()).toEqual([]);
    await expect(erasures.withdraw(requestOf('third'), id)).rejects.toMatchObject({
      code: 'erasure.final',
      message: `The status of erasure ${id} is withdrawn.`,
    });
    const again = await ask();
    expect(await erase()).toBe(1);
    expect(await columnsWith(books.dataSource, person)).toEqual([]);
    await expect(erasures.withdraw(requestOf('third'), again)).rejects.toMatchObject({
      message: `The status of erasure ${again} is done.`,
    });
    expect(await broken()).toEqual([]);
  });

  it('that is withdrawn leaves other requests about the same person to be decided', async () => {
    const erasures = books.serviceOf(ErasureService);
    const person = newId();
    await requestErasure(person);
    const deposit = await books.askForDeposit(person, 1n);
    await erasures.withdraw(requestOf('third'), (await erasures.list({ limit: 1 })).items[0]!.id);
    expect(await books.approvals.reject(requestOf('decider'), deposit)).toMatchObject({ status: 'rejected' });
  });

  it('always concerns the person on whom two people have agreed, no matter who writes to the database', async () => {
    const person = newId();
    await requestErasure(person);
    const change = (sql: string) =>
      expect(books.dataSource.query(sql, [person])).rejects.toMatchObject({ code: '42501' });
    await change(`update erasure set user_id = 'somebody else' where user_id = $1`);
    await books.dataSource.query(
      `update erasure set user_id = null, withdrawn_by = 'ann', withdrawn_at = now() where user_id = $1`,
      [person],
    );
    await change(`update erasure set user_id = $1, withdrawn_by = null, withdrawn_at = null
                   where withdrawn_by = 'ann'`);
  });

  it('that has begun cannot be withdrawn, and an erasure that is withdrawn while a run begins is left out', async () => {
    const erasures = books.serviceOf(ErasureService);
    const people = [newId(), newId()];
    for (const person of people) await requestErasure(person);
    const { items } = await erasures.list({ limit: 2 });
    const [withdrawn, begun] = items.map(({ id }) => id);
    const { begin } = ErasureRepository.prototype as unknown as Record<
      'begin',
      (this: ErasureRepository, id: string, pseudonym: string) => Promise<string | undefined>
    >;
    const answers: unknown[] = [];
    const spy = jest.spyOn(ErasureRepository.prototype, 'begin').mockImplementation(async function (
      this: ErasureRepository,
      id,
      pseudonym,
    ) {
      if (id === begun) await erasures.withdraw(requestOf('third'), withdrawn!);
      const kept = await begin.call(this, id, pseudonym);
      if (id === begun)
        answers.push(await erasures.withdraw(requestOf('third'), id).catch((error: Error) => error.message));
      return kept;
    });
    const lines: string[] = [];
    expect(await erase((line) => lines.push(line))).toBe(1);
    spy.mockRestore();
    expect(answers).toEqual([`The status of erasure ${begun} is begun.`]);
    expect(lines).toContain(`Erasure ${withdrawn} was withdrawn.`);
    expect(await columnsWith(books.dataSource, people[0]!)).toEqual([]);
    expect(await columnsWith(books.dataSource, people[1]!)).not.toEqual([]);
    expect(await broken()).toEqual([]);
  });

  it('waits for a log that has read the wins under the id, and removes its salts', async () => {
    const id = newId();
    const won = await playedRain(rain, {}, [id]);
    await payAll(rain, id);
    await forgetInRedis(rain);
    await requestErasure(id);
    const log = books.serviceOf(ClaimLogRepository);
    const append = log.append.bind(log);
    let erasing: Promise<number> | undefined;
    const spy = jest.spyOn(log, 'append').mockImplementationOnce(async (...args) => {
      erasing = erase();
      const waits = async () => (await books.blocked()).length > 0;
      await Promise.race([erasing, waitFor(waits, { what: 'an erasure that waits' })]);
      return append(...args);
    });
    await books.serviceOf(ClaimLogLeader).appendAll(new AbortController().signal);
    spy.mockRestore();
    if ((await erasing) === 0) await erase();
    expect(await saltsOf(won)).toBe(0);
    expect(await broken()).toEqual([]);
  });

  it.each([`zoe-${randomUUID()}`, `zo"e\\-${randomUUID()}`])(
    'leaves the id %s in no statistics of Postgres',
    async (id) => {
      await live(rain, id);
      await books.dataSource.query('analyze');
      expect((await statisticsWith(books.dataSource, id)).length).toBeGreaterThan(5);
      await requestErasure(id);
      expect(await erase()).toBe(1);
      expect(await statisticsWith(books.dataSource, id)).toEqual([]);
    },
  );

  it('changes nothing else in any row', async () => {
    const id = newId();
    await live(rain, id);
    await requestErasure(id);
    const before = await rows();
    expect(await erase()).toBe(1);
    const pseudonym = (await pseudonyms()).at(-1)!;
    const asBefore = (row: string) =>
      row.startsWith('account ') && row.includes(pseudonym) ? row.replace('"frozen"', '"active"') : row;
    expect((await rows()).map((row) => asBefore(row).replaceAll(pseudonym, id)).sort()).toEqual(before);
  });

  it('leaves no digest of a request that named the person, which would allow guesses at the id, and a retry has no effect', async () => {
    const erasures = books.serviceOf(ErasureService);
    const [person, other] = [newId(), newId()];
    const named = (id: string) => {
      const { caller } = requestOf('asker');
      const reply = { statusCode: 200, header: () => reply };
      const fingerprint = createHash('sha256').update(id).digest();
      return new IdempotentRequest(caller, fingerprint.toString('base64url'), fingerprint, reply as never);
    };
    const kept = async (id: string) =>
      (
        await books.dataSource.query<unknown[]>('select from idempotency_key where fingerprint = $1', [
          named(id).fingerprint,
        ])
      ).length;
    await erasures.askToErase(named(other), other);
    const { id } = await erasures.askToErase(named(person), person);
    await books.approvals.approve(requestOf('decider'), id);
    expect(await kept(person)).toBe(1);
    expect(await erase()).toBe(1);
    expect([await kept(person), await kept(other)]).toEqual([0, 1]);
    await expect(erasures.askToErase(named(person), person)).rejects.toMatchObject({
      code: 'idempotency.mismatch',
    });
    expect(await erasures.askToErase(named(other), other)).toMatchObject({ subject: `user:${other}` });
  });

  it('moves no money to the pseudonym: a deposit that waits for the wallet is refused, and a win that waits is paid into a new one', async () => {
    const id = newId();
    await live(rain, id);
    const before = await books.balance(id);
    const activityId = await books.activity({ packets: 1 });
    await requestErasure(id);
    const deposits: Promise<unknown>[] = [];
    const { freezeWallets: freeze } = ErasureRepository.prototype as unknown as Record<
      string,
      (...args: unknown[]) => Promise<void>
    >;
    const spy = jest.spyOn(ErasureRepository.prototype, 'freezeWallets').mockImplementation(async function (
      this: ErasureRepository,
      ...args
    ) {
      deposits.push(books.deposit(id, 7n).catch(({ code }: { code: string }) => code));
      const claims = await books.claim(activityId, [id]);
      deposits.push(books.settlement.settle(claims).then(() => 'settled'));
      await waitFor(async () => (await books.blocked()).length > 1, {
        what: 'the deposit and the payment to wait',
      });
      await freeze!.apply(this, args);
    });
    expect(await erase()).toBe(1);
    spy.mockRestore();
    expect(await Promise.all(deposits)).toEqual(['wallet.frozen', 'settled']);
    expect(await books.balance((await pseudonyms()).at(-1)!)).toBe(before);
    const won = await books.balance(id);
    expect(won).toBeGreaterThan(0n);
    await books.dataSource.transaction((tx) => rain.closing.refund(tx, activityId, 'closed'));
    await forgetInRedis(rain);
    await books.deposit(id, 7n);
    expect(await books.balance(id)).toBe(won + 7n);
  });

  it.each([
    ['void', ['find', 'renameFree', 'renameSealed', 'revise']],
    ['replayed', ['find', 'renameFree', 'renameSealed', 'revise', 'renameGuarded']],
  ] as const)(
    'of someone with a dead letter that is %s lets the claims of others be paid and buried after its steps %j',
    async (status, steps) => {
      const id = newId();
      await playedRain(rain, {}, [id]);
      await forgetInRedis(rain);
      await payAll(rain, id);
      await books.dataSource.query(
        `insert into dead_letter (claim_id, activity_id, user_id, amount_minor, reason, status, resolution)
         select 900000000 + max(id), max(id), $1, 1, 'unpayable', $2, case $2 when 'void' then 'void' end from activity`,
        [id, status],
      );
      await requestErasure(id);
      const spies = steps.map((step) => {
        const owner = ownerOf(step);
        const { [step]: work } = owner;
        return jest.spyOn(owner, step).mockImplementation(async function (this: unknown, ...args) {
          const result = await work!.apply(this, args);
          await books.dataSource.transaction((tx) =>
            tx.query(`set local lock_timeout = '1s'; lock table dead_letter in row exclusive mode`),
          );
          return result;
        });
      });
      expect(await erase()).toBe(1);
      for (const spy of spies) {
        expect(spy).toHaveBeenCalledTimes(1);
        spy.mockRestore();
      }
      expect(await columnsWith(books.dataSource, id)).toEqual([]);
      await books.dataSource.query(
        `set session_replication_role = replica; delete from dead_letter where claim_id > 900000000;
         set session_replication_role = default`,
      );
      expect(await broken()).toEqual([]);
    },
  );

  it('lets the same person come back as someone new, who wins, is paid and has no past', async () => {
    const id = newId();
    const { pseudonym } = await forgotten(id);
    const won = await playedRain(rain, { limits: { perUser: 1 } }, [id]);
    expect(await books.balance(id)).toBeGreaterThan(0n);
    expect((await books.creditsOf(id)).map(({ kind }) => kind)).toEqual(['credit']);
    expect((await books.creditsOf(pseudonym)).length).toBeGreaterThan(1);
    const [{ wins }]: [{ wins: number }] = await books.dataSource.query(
      `select wins from win_count where user_id = $1`,
      [id],
    );
    expect([won, wins]).toEqual([expect.any(String), 1]);
    expect(await broken()).toEqual([]);
  });

  it('removes the salts of their leaves and no others, so that all other proofs of the log hold', async () => {
    const id = newId();
    const { life, pseudonym } = await forgotten(id);
    const salts = await books.dataSource.query<{ user: string; salted: boolean }[]>(
      `select user_id as user, salt is not null as salted
         from claim join claim_leaf using (activity_id, packet_no) left join claim_salt using (leaf_index)
        where activity_id = $1 order by packet_no`,
      [life.won],
    );
    expect(salts.map(({ user, salted }) => [user, salted]).sort()).toEqual(
      [
        [life.friend, true],
        [pseudonym, false],
      ].sort(),
    );
    const [{ no }]: [{ no: number }] = await books.dataSource.query(
      `select packet_no as no from claim where activity_id = $1 and user_id = $2`,
      [life.won, life.friend],
    );
    const packet = redPacketId(life.won, no);
    expect(await books.serviceOf(ClaimLogService).ofPacket(packet, life.friend)).toHaveProperty('salt');
  });
});

/** Lets the winner say thanks now. Returns a function that dates the thanks a day back. */
async function thanked(activityId: string, winner: string): Promise<() => Promise<unknown>> {
  await books.dataSource.query(
    `insert into thanks (activity_id, packet_no, text)
     select activity_id, packet_no, 'Thanks.' from claim where activity_id = $1 and user_id = $2`,
    [activityId, winner],
  );
  return () =>
    books.dataSource.query(
      `update thanks set thanked_at = thanked_at - interval '1 day' where activity_id = $1`,
      [activityId],
    );
}

describe('an erasure waits', () => {
  it('if nobody has approved it, or only the person who had asked, and verify sees that', async () => {
    const [id, alone] = [newId(), newId()];
    for (const one of [id, alone]) await playedRain(rain, {}, [one]);
    await forgetInRedis(rain);
    for (const one of [id, alone]) await payAll(rain, one);
    await books.dataSource.query(`insert into erasure (user_id, requested_by) values ($1, 'asker')`, [id]);
    await books.dataSource.query(`alter table approval drop constraint approval_by_another`);
    await insertErasure(books.dataSource, { userId: alone, by: 'asker' });
    const lines: string[] = [];
    expect(await erase((line) => lines.push(line))).toBe(0);
    expect(lines).toEqual([
      expect.stringContaining('nobody has approved it'),
      expect.stringContaining('nobody'),
    ]);
    expect((await columnsWith(books.dataSource, id)).length).toBeGreaterThan(2);
    expect(await broken()).toEqual(expect.arrayContaining([expect.stringContaining('I39')]));
    await books.dataSource.query(
      `set session_replication_role = replica;
       delete from erasure where done_at is null; delete from approval where decided_by = asked_by;
       set session_replication_role = default;
       alter table approval add constraint approval_by_another check (decided_by <> asked_by)`,
    );
    for (const one of [id, alone]) await requestErasure(one);
    expect(await erase()).toBe(2);
    expect(await broken()).toEqual([]);
  });

  it('if all that was approved is a request that was withdrawn, and the audit log names who withdrew it', async () => {
    const erasures = books.serviceOf(ErasureService);
    const person = newId();
    const withdrawNewest = async (by: string) => {
      const { id } = (await erasures.list({ limit: 1 })).items[0]!;
      await erasures.withdraw(requestOf(by), id);
      return id;
    };
    await requestErasure(person);
    const withdrawn = await withdrawNewest('third');
    const deeds = await books.dataSource.query(
      `select actor_id as actor, subject, before, after, detail from audit_log where action = 'user.withdraw-erasure'
        order by id desc limit 1`,
    );
    expect(deeds).toEqual([
      {
        ...{ actor: 'third', subject: `user:${person}`, detail: { erasureId: withdrawn } },
        ...{ before: { status: 'requested' }, after: { status: 'withdrawn' } },
      },
    ]);
    // Neither the moment nor the person is that of the approval.
    const ofApproval = (column: string) => `(select ${column} from approval where subject_id = $1)`;
    for (const values of [`${ofApproval('decided_by')}, now()`, `'intruder', ${ofApproval('decided_at')}`]) {
      const again = `insert into erasure (user_id, requested_by, requested_at) values ($1, ${values})`;
      await books.dataSource.query(again, [person]);
      const lines: string[] = [];
      expect(await erase((line) => lines.push(line))).toBe(0);
      expect(lines).toEqual([expect.stringContaining('nobody has approved it')]);
      expect(await broken()).toEqual(expect.arrayContaining([expect.stringContaining('I39')]));
      await withdrawNewest('third');
    }
    expect(await broken()).toEqual([]);
  });

  it.each<[string, (id: string) => Promise<() => Promise<unknown>>]>([
    [
      'balance CNY',
      async (id) => {
        await books.deposit(id, 7n);
        return () => payAll(rain, id);
      },
    ],
    [
      'frozen-wallet CNY',
      async (id) => {
        await books.deposit(id, 7n);
        await payAll(rain, id);
        await books.setStatus(id, 'frozen');
        return () => books.setStatus(id, 'active');
      },
    ],
    [
      'activity',
      async (id) => {
        await playedRain(rain, { sponsorId: id }, ['ann', 'bob', 'cem']);
        return () => forgetInRedis(rain);
      },
    ],
    [
      'claim',
      async (id) => {
        const activityId = await books.activity({ packets: 1 });
        const claims = await books.claim(activityId, [id]);
        await books.dataSource.transaction((tx) => rain.closing.refund(tx, activityId, 'closed'));
        await forgetInRedis(rain);
        return async () => {
          await books.settlement.settle(claims);
          await payAll(rain, id);
        };
      },
    ],
    [
      'approval',
      async (id) => {
        await books.askForDeposit(id, 1n);
        return () =>
          books.dataSource.query(`update approval set expires_at = now() where status = 'pending'`);
      },
    ],
    [
      'payout',
      async (id) => {
        await books.deposit(id, 7n);
        const channelId = await newChannel(rain);
        const payout = await books.askForPayout(id, channelId, '0.07');
        return () => books.report(channelId, { id: payout.id, outcome: 'paid' });
      },
    ],
    [
      'thanks',
      async (id) => {
        const activityId = await playedRain(rain, {}, [id]);
        await forgetInRedis(rain);
        await payAll(rain, id);
        return thanked(activityId, id);
      },
    ],
    [
      'thanks',
      async (id) => {
        const activityId = await playedRain(rain, { sponsorId: id }, ['ann', 'bob', 'cem']);
        await forgetInRedis(rain);
        return thanked(activityId, 'ann');
      },
    ],
    ['payout-finding', async (id) => found(id, (await paidPayout(id)).id, { note: 'differs' })],
    ['payout-finding', (id) => found(id, null, { userId: id })],
  ])('for everything that is under way for the person, and names it: %s', async (what, begin) => {
    const id = newId();
    const end = await begin(id);
    await requestErasure(id);
    const lines: string[] = [];
    expect(await erase((line) => lines.push(line))).toBe(0);
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^Erasure \\d+ waits for .*${what}`))]);
    await end();
    expect(await erase()).toBe(1);
    expect(await columnsWith(books.dataSource, id)).toEqual([]);
    expect(await broken()).toEqual([]);
  });
});

describe('the records of a person are kept for a number of days after', () => {
  /** Changes rows that are otherwise never changed, as if 40 days had passed. */
  const age = (change: string) =>
    books.dataSource.query(
      `set session_replication_role = replica; update ${change}; set session_replication_role = default`,
    );
  const ended = (activityId: string) =>
    age(`activity set closed_at = closed_at - interval '40 days' where id = ${activityId}`);
  const moved = (id: string, side: 'debit' | 'credit') =>
    age(`transfer set created_at = created_at - interval '40 days'
          where ${side}_account_id in (select id from account where owner_id = '${id}')`);

  it.each<[string, (id: string) => Promise<() => Promise<unknown>>]>([
    [
      'the end of a rain in which they have won',
      async (id) => {
        const activityId = await playedRain(rain, {}, [id]);
        return () => ended(activityId);
      },
    ],
    [
      'the end of a rain that they have sponsored',
      async (id) => {
        const activityId = await playedRain(rain, { sponsorId: id }, ['ann', 'bob', 'cem']);
        for (const side of ['debit', 'credit'] as const) await moved(id, side);
        return () => ended(activityId);
      },
    ],
    [
      'money came to them',
      async (id) => {
        await books.deposit(id, 7n);
        return () => moved(id, 'credit');
      },
    ],
    [
      'money left them',
      async (id) => {
        await books.activity({ packets: 1, sponsorId: id });
        await moved(id, 'credit');
        return () => moved(id, 'debit');
      },
    ],
  ])('%s', async (_, begin) => {
    const id = newId();
    const keptUntil = () => books.serviceOf(ErasureRepository).keptUntil(id, 30);
    const pass = await begin(id);
    const days = (Number(await keptUntil()) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30.1);
    await pass();
    expect(await keptUntil()).toBeNull();
  });
});

describe('a payout that a channel returns', () => {
  it('delays an erasure for the configured days after it was paid, however long the payment took', async () => {
    const id = newId();
    await paidPayout(id);
    await books.dataSource.query(
      `set session_replication_role = replica; update transfer set created_at = now() - interval '40 days'
        where credit_account_id in (select id from account where owner_id = '${id}')
           or debit_account_id in (select id from account where owner_id = '${id}');
       set session_replication_role = default`,
    );
    await requestErasure(id);
    const lines: string[] = [];
    expect(await erase((line) => lines.push(line), { ERASURE_KEEP_DAYS: 30 })).toBe(0);
    expect(lines).toEqual([expect.stringContaining('waits until')]);
    await books.dataSource.query(
      `update payout set ended_at = now() - interval '40 days' where user_id = $1`,
      [id],
    );
    expect(await erase(undefined, { ERASURE_KEEP_DAYS: 30 })).toBe(1);
  });

  it('after its owner was forgotten puts its money into the frozen wallet of the pseudonym, and a file that names the id is not a finding', async () => {
    const id = newId();
    const { id: payoutId, channelId } = await paidPayout(id);
    await requestErasure(id);
    expect(await erase()).toBe(1);
    const [pseudonym] = (await pseudonyms()).slice(-1);
    const line = (state: string, amount = '0.07') =>
      `${payoutId},${id},${amount},${state},2020-02-01T12:00:00Z`;
    const take = (day: string, ...lines: string[]) => books.handIn(channelId, day, ...lines);
    expect(await take('2020-02-01', line('paid'))).toMatchObject({ equal: 1, found: 0 });
    expect(await take('2020-02-02', line('returned'))).toMatchObject({ posted: 1, found: 0 });
    expect(await books.balance(pseudonym!)).toBe(7n);
    expect(await take('2020-02-03', line('returned', '0.08'))).toMatchObject({ found: 1 });
    expect(await take('2020-02-03', line('returned', '0.08'), '')).toMatchObject({ found: 0 });
    expect(await columnsWith(books.dataSource, id)).toEqual([]);
    await books.dataSource.query(
      `update payout_finding set ended_at = now(), ended_by = 'ann', resolution = 'Done.' where payout_id = $1`,
      [payoutId],
    );
    expect(await broken()).toEqual([]);
  });
});

/** A digest contains no id, and an unsettled claim is under way. */
const NOT_LIVED = ['idempotency_key.fingerprint', 'unsettled_claim.user_id'];
