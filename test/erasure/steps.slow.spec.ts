import { ErasureRepository } from '../../src/extensions/erasure/erasure.repository';
import { Renaming } from '../../src/extensions/erasure/renaming';
import { waitFor } from '../harness/engines';
import { books, rain, shareRain } from '../harness/shared-books';
import { broken, verificationOver } from '../reconciliation/verifying';
import { erase, requestErasure } from './erasing';
import { forgotten, pseudonyms, rows } from './forgotten';
import { forgetInRedis, live, newId, payAll, playedRain } from './person';
import { columnsWith, valuesWith } from './search';

shareRain();

describe('an erasure', () => {
  it('of people with odd names mistakes no other value for the id', async () => {
    const ids = [newId(), '1', 'CNY', 'operator:2', `qu"o\\te'$1%_`, 'wallet:ann', '{}'];
    for (const id of ids) await live(rain, id);
    await verificationOver().verifyUnsealed();
    for (const id of ids) await requestErasure(id);
    expect(await erase()).toBe(ids.length);
    const found: Record<string, string[]> = {};
    for (const [i, pseudonym] of (await pseudonyms()).slice(-ids.length).entries())
      found[ids[i]!] = (await valuesWith(books.dataSource, pseudonym))
        .map((value) => value.replace(/_\d+$/, ''))
        .sort();
    expect(found).toEqual(Object.fromEntries(ids.map((id) => [id, found[ids[0]!]])));
    expect(await broken()).toEqual([]);
  });

  it.each(['renameFree', 'renameSealed', 'renameGuarded'] as const)(
    'waits if the person wins between its first check and its step %s, and nothing has changed',
    async (step) => {
      const id = newId();
      await live(rain, id);
      const activityId = await books.activity({ packets: 1 });
      await requestErasure(id);
      const { [step]: work } = Renaming.prototype as unknown as Record<
        string,
        (this: Renaming) => Promise<void>
      >;
      let claims: string[] = [];
      const spy = jest.spyOn(Renaming.prototype, step).mockImplementation(async function (this: Renaming) {
        if (claims.length === 0) claims = await books.claim(activityId, [id]);
        return work!.call(this);
      });
      expect(await erase()).toBe(0);
      spy.mockRestore();
      await books.settlement.settle(claims);
      expect(await books.balance(id)).toBeGreaterThan(0n);
      expect(await broken()).toEqual([]);
      await books.dataSource.transaction((tx) => rain.closing.refund(tx, activityId, 'closed'));
      await forgetInRedis(rain);
      await payAll(rain, id);
      expect(await erase()).toBe(1);
      expect(await columnsWith(books.dataSource, id)).toEqual([]);
      expect(await broken()).toEqual([]);
    },
  );
});

describe('a seal of an activity of someone who is forgotten', () => {
  const change = (sql: string, values: unknown[], table?: string) =>
    books.dataSource.transaction(async (tx) => {
      if (table) await tx.query(`alter table ${table} disable trigger append_only`);
      await tx.query(sql, values);
      if (table) await tx.query(`alter table ${table} enable trigger append_only`);
    });

  it('still finds an edit, an edit that looks like an erasure, and a revision that fits no seal', async () => {
    const { life, pseudonym } = await forgotten(newId());
    const named = [`old Activity ${life.won} is not what it was.`];
    const rename = (to: string) =>
      change(`update claim set user_id = $3 where activity_id = $1 and user_id <> $2`, [
        life.won,
        life.friend,
        to,
      ]);
    await rename(`erased-${'0'.repeat(32)}`);
    expect((await broken()).filter((line) => line.startsWith('old'))).toEqual(named);
    await rename(pseudonym);
    expect(await broken()).toEqual([]);

    const forge = (digest: string) =>
      change(
        `update seal_revision set digest_before = ${digest} where activity_id = $1`,
        [life.won],
        'seal_revision',
      );
    await forge(`sha256('')`);
    expect(await broken()).toEqual(named);
    await forge(`(select digest from seal where activity_id = $1)`);
    expect(await broken()).toEqual([]);
  });

  it('stops the erasure if the activity is not what was sealed, and nothing has changed', async () => {
    const id = newId();
    const life = await live(rain, id);
    await verificationOver().verifyUnsealed();
    await requestErasure(id);
    const before = await rows();
    await change(`update activity set name = 'Other' where id = $1`, [life.sponsored]);
    await expect(erase()).rejects.toThrow(`Activity ${life.sponsored} is not what was sealed`);
    await change(`update activity set name = 'Rain' where id = $1`, [life.sponsored]);
    expect(await rows()).toEqual(before);
    expect(await erase()).toBe(1);
    expect(await columnsWith(books.dataSource, id)).toEqual([]);
  });

  it('is not computed from rows that are being renamed', async () => {
    const id = newId();
    await live(rain, id);
    await requestErasure(id);
    const { finish: work } = ErasureRepository.prototype as unknown as Record<
      string,
      (...args: unknown[]) => Promise<void>
    >;
    const sealing: Promise<unknown>[] = [];
    let hasEnded = false;
    const spy = jest.spyOn(ErasureRepository.prototype, 'finish').mockImplementation(async function (
      this: ErasureRepository,
      ...args
    ) {
      await work!.apply(this, args);
      const sealed = verificationOver().verifyUnsealed();
      sealing.push(sealed.finally(() => (hasEnded = true)));
      await waitFor(async () => hasEnded || (await books.blocked()).length > 0, { what: 'the seal' });
    });
    expect(await erase()).toBe(1);
    spy.mockRestore();
    await Promise.all(sealing);
    expect(await broken()).toEqual([]);
  });

  it('is revised twice if two people of one activity are forgotten, and holds', async () => {
    const [one, other] = [newId(), newId()];
    const activityId = await playedRain(rain, {}, [one, other]);
    await forgetInRedis(rain);
    await books.dataSource.query(`update account set balance_minor = balance_minor where owner_id = $1`, [
      one,
    ]);
    await verificationOver().verifyUnsealed();
    for (const id of [one, other]) {
      await payAll(rain, id);
      await requestErasure(id);
      expect(await erase()).toBe(1);
    }
    const revisions = await books.dataSource.query(
      `select no from seal_revision where activity_id = $1 order by no`,
      [activityId],
    );
    expect(revisions).toEqual([{ no: 1 }, { no: 2 }]);
    expect(await broken()).toEqual([]);
  });
});

describe('a crash', () => {
  it.each(['finish', 'renameFree', 'renameSealed', 'renameGuarded'] as const)(
    'after a run could %s leaves nothing half done, and the next run finishes it with the same pseudonym',
    async (step) => {
      const id = newId();
      await live(rain, id);
      await requestErasure(id);
      const before = await rows();
      const owner = (step === 'finish' ? ErasureRepository : Renaming).prototype as unknown as Record<
        string,
        (...args: unknown[]) => Promise<unknown>
      >;
      const work = owner[step]!;
      const spy = jest.spyOn(owner, step).mockImplementation(async function (this: unknown, ...args) {
        await work.apply(this, args);
        throw new Error('crashed');
      });
      await expect(erase()).rejects.toThrow('crashed');
      spy.mockRestore();
      expect(await rows()).toEqual(before);
      const [begun] = (await pseudonyms()).slice(-1);
      expect(await erase()).toBe(1);
      expect((await pseudonyms()).at(-1)).toBe(begun);
      expect(await columnsWith(books.dataSource, id)).toEqual([]);
      expect(await broken()).toEqual([]);
    },
  );
});
