import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Foundation } from './foundation';
import type { Computed, ComputedInvariant, Promised } from './invariant';
import { byNumber, Invariants } from './invariants';
import { rainPages } from './rain-pages';
import { WALK, withinRains } from './rain-scope';
import { redraw } from './redrawing';
import { RedisAgreement } from './redis-agreement';
import { isLostRace, SealRepository, type Walk } from './seal.repository';

export interface Finding {
  readonly id: string;
  readonly title: string;
  readonly subject: string;
  readonly examined: number;
  readonly breaches: number;
  /** The exact breaches, where they can be named, and what was not examined. */
  readonly details?: readonly string[];
}

export interface Verification {
  readonly findings: Finding[];
  /** Activities that were not read again, because they had a seal. */
  readonly sealedBefore: number;
  readonly sealedNow: number;
}

interface Answer {
  readonly examined: number;
  readonly breaches: number;
}

/** Activities that are proven in one snapshot and sealed in one transaction. */
const RAINS_AT_ONCE = 1_000;
const TRANSFERS_AT_ONCE = 100_000;

/** Transfers commit within this time. If not, the next run walks through the same ids again. */
const WRITERS_WITHIN_MS = 3_000;
const WRITERS_ASKED_EVERY_MS = 50;

/**
 * A page fits into this much memory of the server. Sorting and hashing on disk takes twice as long. Compiling
 * the statements to machine code (jit) takes half of the time for small books, and saves nothing on books of
 * 70,000 claims. A snapshot whose host has vanished ends after five minutes; Redis, which may be slow, is
 * asked between two statements.
 *
 * The lock comes before the snapshot, so that both agree about what was archived. The set of
 * partitions is not part of a snapshot: a statement that waits while a partition is detached would
 * miss its rows without seeing that they were archived.
 */
const SETTINGS = `
  set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = '5min';
  set local work_mem = '32MB';
  set local jit = off;
  lock table only packet in access share mode`;

const AGREEMENT = {
  id: 'I9',
  title: 'Redis agrees with Postgres about every packet of every activity that it holds or has to hold',
  subject: 'packets and holders',
};
const FOUNDATION = {
  id: 'I14',
  title: 'the constraints, triggers, functions, grants and settings that the promise rests on are there',
  subject: 'rules',
};
const DRAWN = {
  id: 'I23',
  title:
    'the packets of every batch are those that its terms and its seed draw, and so is its published root',
  subject: 'batches',
};
const WALKED = {
  id: 'new',
  title:
    'every transfer since the last seal is of an activity that was not sealed, and of a claim if it is a credit',
  subject: 'transfers',
};
const SEALED = {
  id: 'old',
  title:
    'every sealed activity is what it was when it was sealed, and accounts carry what sealed activities left',
  subject: 'seals',
};

@Injectable()
export class VerificationService {
  private readonly seals: SealRepository;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly redis: RedisAgreement,
    private readonly foundation: Foundation,
    private readonly invariants: Invariants,
  ) {
    this.seals = new SealRepository(dataSource);
  }

  /** Checks every invariant over all data, each in one statement, and that seals still hold. */
  async verify(): Promise<Finding[]> {
    const findings: Finding[] = [];
    for (const invariant of this.invariants.statements)
      findings.push(findingOf(invariant, await this.snapshot((tx) => answerOf(tx, invariant.sql))));
    return inOrder([
      ...[...findings, await this.drawAgain(), ...(await this.compute(true)), await this.compareSeals()],
      ...(await this.surroundings()),
    ]);
  }

  /**
   * Checks every invariant, but does not read sealed activities again, and seals those that can be
   * sealed. A snapshot is held no longer than a page of activities takes, or one statement about
   * the ledger as a whole.
   *
   * The walk finds a transfer that was inserted after a seal, unless it was given an old id. I2
   * finds a balance that was changed. {@link verify} finds changes of the rows of a sealed
   * activity.
   *
   * An activity may commit with a smaller id than the page that is being proven. It has no seal, so
   * the next run begins with it. This run has met its transfers in I2, or ended before them.
   */
  async verifyUnsealed(): Promise<Verification> {
    const sealedBefore = await this.seals.count();
    const walk = await this.seals.walk();
    const isComplete = await this.outlast(walk);
    const walked = await this.walk(walk);
    const maySeal = walked.breaches === 0 && (await this.seals.canSeal());
    const walkedTo = isComplete ? walk.to : walk.from;
    const run = new VerificationRun(this.invariants, maySeal ? walkedTo : undefined);
    for await (const page of rainPages((after) => this.seals.unsealed(after, RAINS_AT_ONCE)))
      await this.prove(page, run);
    for (const { id, ofLedger } of this.invariants.statements)
      if (ofLedger !== undefined) run.add(id, await this.snapshot((tx) => answerOf(tx, ofLedger)));
    const findings = inOrder([
      ...[...run.findings(), ...(await this.compute(false)), findingOf(WALKED, walked)],
      ...(await this.surroundings()),
    ]);
    return { findings, sealedBefore, sealedNow: run.sealed };
  }

  /** Proves activities in one snapshot. Halves a failing page until the broken ones are alone. */
  private async prove(rains: readonly string[], run: VerificationRun): Promise<void> {
    let answers = new Map<string, Answer>();
    try {
      run.sealed += await this.snapshot(async (tx) => {
        answers = await this.askAbout(tx, rains);
        if (run.walkedTo === undefined || isBroken(answers)) return 0;
        return this.seals.seal(tx, rains, run.walkedTo);
      }, run.walkedTo !== undefined);
    } catch (error) {
      if (!isLostRace(error)) throw error;
    }
    if (isBroken(answers) && rains.length > 1) {
      const middle = Math.ceil(rains.length / 2);
      await this.prove(rains.slice(0, middle), run);
      await this.prove(rains.slice(middle), run);
      return;
    }
    for (const [id, answer] of answers) run.add(id, answer, `activity ${rains[0]}`);
  }

  private async askAbout(tx: EntityManager, rains: readonly string[]): Promise<Map<string, Answer>> {
    const answers = new Map<string, Answer>();
    for (const { id, ofRains } of this.invariants.statements)
      if (ofRains !== undefined) answers.set(id, await answerOf(tx, withinRains(ofRains), [rains]));
    answers.set(DRAWN.id, await redraw(tx, rains));
    return answers;
  }

  /**
   * Waits for the transactions that may still add transfers to the walk, because an id is taken
   * before the commit. Returns false when they take too long.
   */
  private async outlast({ writers }: Walk): Promise<boolean> {
    const until = performance.now() + WRITERS_WITHIN_MS;
    while ((await this.seals.stillWriting(writers)) > 0) {
      if (performance.now() > until) return false;
      await pause(WRITERS_ASKED_EVERY_MS);
    }
    return true;
  }

  private async walk({ from, to }: Walk): Promise<Answer> {
    const total = { examined: 0, breaches: 0 };
    for (let start = from; start < to; start += BigInt(TRANSFERS_AT_ONCE)) {
      const end = start + BigInt(TRANSFERS_AT_ONCE) < to ? start + BigInt(TRANSFERS_AT_ONCE) : to;
      const { examined, breaches } = await this.snapshot((tx) => answerOf(tx, WALK, [start, end]));
      total.examined += examined;
      total.breaches += breaches;
    }
    return total;
  }

  private async drawAgain(): Promise<Finding> {
    const total = { examined: 0, details: [] as string[] };
    for await (const page of rainPages((after) => this.seals.kept(after, RAINS_AT_ONCE))) {
      const { examined, details } = await this.snapshot((tx) => redraw(tx, page));
      total.examined += examined;
      total.details.push(...details);
    }
    return { ...DRAWN, ...total, breaches: total.details.length };
  }

  private async compute(isWhole: boolean): Promise<Finding[]> {
    const mayRemember = !isWhole && (await this.seals.canSeal());
    const findings: Finding[] = [];
    for (const invariant of this.invariants.computed) {
      const computed = await this.snapshot((tx) => invariant.compute(tx, isWhole, this.invariants.evidence));
      if (mayRemember && computed.remember) await this.remember(computed.remember);
      findings.push(found(invariant, computed));
    }
    return findings;
  }

  /** A concurrent run may have proven the same; then the next run proves it again. */
  private async remember(work: (tx: EntityManager) => Promise<void>): Promise<void> {
    try {
      await this.snapshot(work, true);
    } catch (error) {
      if (!isLostRace(error)) throw error;
    }
  }

  private async compareSeals(): Promise<Finding> {
    const wrong: string[] = [];
    let examined = 0;
    for await (const page of rainPages((after) => this.seals.sealed(after, RAINS_AT_ONCE))) {
      examined += page.length;
      const changed = await this.snapshot((tx) => this.seals.changed(tx, page));
      wrong.push(...changed.map((id) => `Activity ${id} is not what it was.`));
    }
    const { evidence } = this.invariants;
    const archived = await this.snapshot((tx) => this.seals.wronglyArchived(tx, evidence));
    wrong.push(...archived.map((id) => `Activity ${id} is not what was archived.`));
    const carried = await this.snapshot((tx) => this.seals.wronglyCarried(tx, evidence));
    const details = [...wrong, ...carried.map((id) => `Account ${id} carries something else.`)];
    return { ...SEALED, examined, breaches: details.length, details };
  }

  /** Checks Redis and the rules of the database, which are in no ledger. */
  private async surroundings(): Promise<Finding[]> {
    const agreement = await this.redis.check((work) => this.snapshot(work));
    const { examined, faults, remark = [] } = await this.snapshot((tx) => this.foundation.inspect(tx));
    return [
      { ...AGREEMENT, ...agreement },
      { ...FOUNDATION, examined, breaches: faults.length, details: faults.concat(remark) },
    ];
  }

  private snapshot<T>(work: (tx: EntityManager) => Promise<T>, isWriting = false): Promise<T> {
    return this.dataSource.transaction('REPEATABLE READ', async (tx) => {
      if (!isWriting) await tx.query('set transaction read only');
      await tx.query(SETTINGS);
      if (isWriting) await this.seals.lock(tx);
      return work(tx);
    });
  }
}

class VerificationRun {
  sealed = 0;
  private readonly answers = new Map<string, { examined: number; breaches: number; details: string[] }>();

  /** @param walkedTo the end of the walk; undefined when nothing may be sealed */
  constructor(
    private readonly invariants: Invariants,
    readonly walkedTo: bigint | undefined,
  ) {}

  add(id: string, { examined, breaches }: Answer, where?: string): void {
    const answer = this.answers.get(id) ?? { examined: 0, breaches: 0, details: [] };
    answer.examined += examined;
    answer.breaches += breaches;
    if (breaches > 0 && where !== undefined) answer.details.push(where);
    this.answers.set(id, answer);
  }

  findings(): Finding[] {
    return [...this.invariants.statements, DRAWN].map((invariant) => ({
      ...findingOf(invariant, { examined: 0, breaches: 0 }),
      ...this.answers.get(invariant.id),
    }));
  }
}

const inOrder = (findings: Finding[]): Finding[] => findings.sort(byNumber);

const isBroken = (answers: ReadonlyMap<string, Answer>): boolean =>
  [...answers.values()].some(({ breaches }) => breaches > 0);

async function answerOf(tx: EntityManager, sql: string, values: unknown[] = []): Promise<Answer> {
  const [row] = await tx.query<{ examined: string; breaches: string }[]>(sql, values);
  return { examined: Number(row!.examined), breaches: Number(row!.breaches) };
}

const found = (invariant: ComputedInvariant, { examined, faults }: Computed): Finding => ({
  ...findingOf(invariant, { examined, breaches: faults.length }),
  details: faults,
});

const findingOf = ({ id, title, subject }: Promised, answer: Answer): Finding => ({
  id,
  title,
  subject,
  ...answer,
});
