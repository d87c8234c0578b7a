import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { DataSource, EntityManager } from 'typeorm';
import { PATIENCE, type Schema, ShortLocks, withSessionLock } from '../../platform/postgres';
import type { AppConfig } from '../../platform/config';
import { type Evidence, SealRepository } from '../../core/reconciliation';
import type { ClaimInFile, FileRevision, Forgetting, ForgottenClaim, Forgotten } from '../extension';
import type { Begun, Erasure } from './erasure';
import { ErasureKey } from './erasure-key';
import { ErasureRepository } from './erasure.repository';
import { KeptPeople } from './kept-people';
import { ForgottenIds, idsIn } from './forgotten-ids';
import { readLedger, writeLedger } from './ledger';
import { type Pseudonyms, renamedInJson } from '../../../libs/people-in-json';
import { Renaming } from './renaming';
import { forgetStatistics } from './statistics';
import type { TapTraces } from './tap-traces';

/** Arbitrary, but unique among the advisory locks. */
const ERASURE_LOCK = 7_264_003;

const PSEUDONYM_BYTES = 16;

/** Undoes the renaming of someone for whom something is under way. */
class NotAtRest extends Error {}

interface Parts {
  readonly schema: Pick<Schema, 'people' | 'underWay' | 'lastMoved'>;
  readonly forgetting: readonly Forgetting[];
  readonly evidence: Evidence;
  readonly traces: Pick<TapTraces, 'forget'>;
}

/** How a run forgets a person. */
interface Manner {
  readonly key: ErasureKey;
  /** Forgets them whatever is under way for them. */
  readonly isRestored: boolean;
  readonly claimsInFiles: readonly ClaimInFile[];
}

/**
 * Forgets the people whose erasure was requested, as the owner of the tables: `npm run erasure`. The files of the
 * archive and the data in Redis come first. Then one transaction for each person writes the pseudonym everywhere in
 * the database and takes the id out of the request, so every invariant holds before and after it, and a crash leaves
 * nothing half done. Running again does the rest.
 *
 * @returns how many people were forgotten
 * @throws Error with one line when another run holds the lock, or something is not what was recorded or sealed
 */
export class Erasing {
  private readonly erasures: ErasureRepository;
  private readonly kept: KeptPeople;
  private readonly seals: SealRepository;
  private readonly locks: ShortLocks;

  constructor(
    private readonly dataSource: DataSource,
    private readonly config: AppConfig,
    private readonly parts: Parts,
    private readonly report: (line: string) => void,
  ) {
    this.erasures = new ErasureRepository(dataSource, parts.schema);
    this.kept = new KeptPeople(this.erasures, config);
    this.seals = new SealRepository(dataSource);
    this.locks = new ShortLocks(dataSource, PATIENCE, report);
  }

  run(): Promise<number> {
    return withSessionLock(this.dataSource, ERASURE_LOCK, refuse, async () => {
      await this.requireWholeDatabase();
      const undone = await this.approved();
      if (undone.length > 0) return this.withFiles(() => this.forgetAll(undone, this.requireKey()));
      if (this.config.ERASURE_KEY !== undefined) await this.writeLedger();
      return 0;
    });
  }

  /**
   * Forgets again everyone whom a ledger lists and a restored database still knows, whatever is under way for them
   * there. No other program may run.
   *
   * @throws Error with one line if a digest of the ledger was made with a key that is not given
   */
  again(file: string): Promise<number> {
    const key = this.requireKey();
    return withSessionLock(this.dataSource, ERASURE_LOCK, refuse, () =>
      this.withFiles(async () => {
        const { entries, revisions } = await readLedger(file, this.keys());
        for (const one of this.parts.forgetting) await one.adoptRevisions?.(this.dataSource, revisions);
        const again = new ForgottenIds(this.keys(), await this.erasures.withoutDone(entries));
        const ids = await this.dataSource.transaction((tx) => idsIn(tx, this.parts.schema.people));
        const begun: Begun[] = [];
        for (const id of ids) {
          const entry = again.entryOf(id);
          if (entry) begun.push(await this.erasures.takeUp(id, entry.pseudonym));
        }
        const pseudonyms = new Set(entries.map(({ pseudonym }) => pseudonym));
        const pseudonymOf: Pseudonyms = (id) => again.entryOf(id)?.pseudonym;
        const claimsInFiles = await this.forgetInFiles(pseudonymOf, pseudonyms, true);
        await this.dataSource.transaction((tx) => this.forgetClaims(tx, claimsInFiles));
        for (const erasure of begun)
          await this.forgetInDatabase(erasure, { key, isRestored: true, claimsInFiles });
        await this.erasures.adopt(await this.erasures.withoutDone(entries));
        await this.writeLedger();
        for (const { id } of await this.erasures.undone())
          this.report(`Erasure ${id} is to be carried out: it may have been withdrawn after this backup.`);
        return begun.length;
      }),
    );
  }

  /** The undone erasures that a second person has approved; all of them if no approval is needed. */
  private async approved(): Promise<Erasure[]> {
    const undone = await this.erasures.undone();
    const unapproved = await this.erasures.unapproved(this.parts.evidence);
    for (const id of unapproved) this.report(`Erasure ${id} waits: nobody has approved it.`);
    return undone.filter(({ id }) => !unapproved.has(id));
  }

  /** One failure keeps nobody else from being forgotten. */
  private async forgetAll(erasures: readonly Erasure[], key: ErasureKey): Promise<number> {
    const begun = await this.begin(await this.atRest(erasures));
    const pseudonyms = new Map(begun.map(({ userId, pseudonym }) => [userId, pseudonym]));
    const claimsInFiles = await this.forgetInFiles(
      (id) => pseudonyms.get(id),
      new Set(pseudonyms.values()),
      false,
    );
    let done = 0;
    const failures: unknown[] = [];
    for (const erasure of begun)
      try {
        if (await this.forgetInDatabase(erasure, { key, isRestored: false, claimsInFiles })) done += 1;
        await this.writeLedger();
      } catch (error) {
        this.report(`Erasure ${erasure.id} failed: ${String(error)}`);
        failures.push(error);
      }
    if (failures.length > 0) throw failures[0];
    await this.writeLedger();
    return done;
  }

  private withFiles<T>(work: () => Promise<T>): Promise<T> {
    return this.parts.forgetting.reduce<() => Promise<T>>(
      (inner, one) => () => (one.holdFiles ? one.holdFiles(this.dataSource, inner) : inner()),
      work,
    )();
  }

  private keys(): ErasureKey[] {
    const { ERASURE_KEY: key, ERASURE_KEY_PREVIOUS: previous } = this.config;
    return [key, previous].flatMap((text) => (text === undefined ? [] : new ErasureKey(text)));
  }

  /** A restored database knows less than the ledger, which it would overwrite. */
  private async requireWholeDatabase(): Promise<void> {
    const { ERASURE_LEDGER: file } = this.config;
    if (file === undefined || !existsSync(file)) return;
    const { entries } = await readLedger(file, this.keys());
    const [missing] = await this.erasures.withoutDone(entries);
    if (missing)
      throw new Error(
        `This database does not know ${missing.pseudonym} of ${file}: run npm run erasure -- --again ${file} first.`,
      );
  }

  private async writeLedger(): Promise<void> {
    const { ERASURE_LEDGER: file } = this.config;
    if (file === undefined) return;
    const revisions: FileRevision[] = [];
    for (const one of this.parts.forgetting)
      revisions.push(...((await one.fileRevisions?.(this.dataSource)) ?? []));
    await writeLedger(file, { entries: await this.erasures.done(), revisions }, this.requireKey());
  }

  private requireKey(): ErasureKey {
    const { ERASURE_KEY: key } = this.config;
    if (key === undefined) throw new Error('Set ERASURE_KEY: 32 random bytes in base64.');
    return new ErasureKey(key);
  }

  private async atRest(erasures: readonly Erasure[]): Promise<Erasure[]> {
    const ready: Erasure[] = [];
    for (const erasure of erasures) if (await this.isAtRest(erasure)) ready.push(erasure);
    return ready;
  }

  /** Something may have begun since the request: then the erasure waits. */
  private async isAtRest(
    { id, userId }: Pick<Erasure, 'id' | 'userId'>,
    tx?: EntityManager,
  ): Promise<boolean> {
    const { underWay, keptUntil } = await this.kept.standing(userId!, tx);
    if (keptUntil) this.report(`Erasure ${id} waits until ${keptUntil.toISOString()}.`);
    if (underWay.length > 0)
      this.report(
        `Erasure ${id} waits for ${underWay.map((one) => [one.what, one.id].join(' ')).join(', ')}.`,
      );
    return underWay.length === 0 && !keptUntil;
  }

  private async begin(erasures: readonly Erasure[]): Promise<Begun[]> {
    const begun: Begun[] = [];
    for (const erasure of erasures) {
      const pseudonym = `erased-${randomBytes(PSEUDONYM_BYTES).toString('hex')}`;
      const kept = await this.erasures.begin(erasure.id, pseudonym);
      if (kept === undefined) this.report(`Erasure ${erasure.id} was withdrawn.`);
      else begun.push({ ...erasure, userId: erasure.userId!, pseudonym: kept });
    }
    return begun;
  }

  /** @param pseudonyms of all who are being forgotten, including those whom the files have forgotten before */
  private async forgetInFiles(
    pseudonymOf: Pseudonyms,
    pseudonyms: ReadonlySet<string>,
    isRestored: boolean,
  ): Promise<ClaimInFile[]> {
    const { dataSource, config, report } = this;
    const renamed = <T>(value: T): T => renamedInJson(value, pseudonymOf);
    const forgotten: Forgotten = { dataSource, config, report, renamed, pseudonyms, isRestored };
    const claims: ClaimInFile[] = [];
    for (const one of this.parts.forgetting) claims.push(...((await one.forgetInFiles?.(forgotten)) ?? []));
    return claims;
  }

  private async forgetInDatabase(erasure: Begun, manner: Manner): Promise<boolean> {
    const { id, userId, pseudonym } = erasure;
    if (!manner.isRestored) {
      // Files and other people took time: someone who has won in the meantime keeps their places in other rains.
      if (!(await this.isAtRest(erasure))) return false;
      // Before the id is gone: a run that is killed after that could not find them again.
      await this.parts.traces.forget(userId);
    }
    try {
      await this.locks.inTransaction(`Erasure ${id}`, (tx) => this.rename(tx, erasure, manner));
    } catch (error) {
      if (!(error instanceof NotAtRest)) throw error;
      return false;
    }
    await forgetStatistics(this.dataSource, userId);
    this.report(`Erasure ${id} is done: ${pseudonym}.`);
    return true;
  }

  /**
   * Something may begin after the first check, such as a win, and be renamed in part. The second check sees it under
   * either name. Whatever is committed later belongs to someone new.
   */
  private async rename(
    tx: EntityManager,
    erasure: Begun,
    { key, isRestored, claimsInFiles }: Manner,
  ): Promise<void> {
    const { id, userId, pseudonym } = erasure;
    await tx.query(`set local idle_in_transaction_session_timeout = '5min'; set local work_mem = '32MB'`);
    await this.seals.holdUp(tx, PATIENCE);
    await lockChain(tx, userId);
    if (!isRestored && !(await this.isAtRest(erasure, tx))) throw new NotAtRest();
    const inFiles = claimsInFiles.filter((claim) => claim.pseudonym === pseudonym);
    await this.forgetClaims(tx, [...(await claimsOf(tx, userId)), ...inFiles]);
    await this.erasures.finish(tx, id, key.digest(userId), key.name);
    const renaming = await Renaming.find(tx, this.parts.schema.people, userId, pseudonym);
    await renaming.renameFree();
    const letters = { from: userId, to: pseudonym };
    await this.seals.revise(tx, await activitiesOf(tx, userId), `erasure:${id}`, letters, () =>
      renaming.renameSealed(),
    );
    await renaming.renameGuarded();
    if (!isRestored)
      for (const name of [userId, pseudonym])
        if (!(await this.isAtRest({ id, userId: name }, tx))) throw new NotAtRest();
    await this.erasures.freezeWallets(tx, pseudonym);
  }

  private async forgetClaims(tx: EntityManager, claims: readonly ForgottenClaim[]): Promise<void> {
    if (claims.length === 0) return;
    for (const one of this.parts.forgetting) await one.forgetClaims?.(tx, claims);
  }
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('Another erasure is running.'));
}

/** Nobody creates an activity of this sponsor until the transaction ends. */
const lockChain = (tx: EntityManager, userId: string): Promise<unknown> =>
  tx.query(`select pg_advisory_xact_lock(hashtextextended('chain:' || $1, 0))`, [userId]);

const claimsOf = (tx: EntityManager, userId: string): Promise<ForgottenClaim[]> =>
  tx.query(`select activity_id as "activityId", packet_no as "packetNo" from claim where user_id = $1`, [
    userId,
  ]);

async function activitiesOf(tx: EntityManager, userId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }[]>(
    `select activity_id as id from claim where user_id = $1
     union select activity_id from dead_letter where user_id = $1
     union select id from activity where sponsor_id = $1
     order by 1`,
    [userId],
  );
  return rows.map(({ id }) => id);
}
