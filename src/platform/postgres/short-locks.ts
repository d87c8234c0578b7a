import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { isDeadlock, isHeldUp, isOutage } from './postgres.error';

/**
 * Limits on how long a migration may delay others. All statements on a table queue after one that
 * waits to lock it. Waiting and one statement, or waiting and one pause, together take less than
 * the programs' own lock limit.
 */
export interface Patience {
  readonly lockTimeoutMs: number;
  /** The limit of each statement while programs run. */
  readonly statementTimeoutMs: number;
  /** The limit between two statements: a vanished host would keep its locks for hours. */
  readonly idleTimeoutMs: number;
  /** The limit of statements that no other queues after, such as building an index concurrently. */
  readonly backgroundLockTimeoutMs: number;
  readonly pauseMs: number;
  /** No further attempt begins after this long. */
  readonly givesUpAfterMs: number;
}

export const PATIENCE: Patience = {
  lockTimeoutMs: 200,
  statementTimeoutMs: 1_000,
  idleTimeoutMs: 1_000,
  backgroundLockTimeoutMs: 60_000,
  pauseMs: 1_000,
  givesUpAfterMs: 120_000,
};

/** A transaction that ended before its commit was asked for, so all of its work may be done again. */
class Interrupted extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Runs work that has to lock tables, again and again while other sessions hold them. */
export class ShortLocks {
  /** @param report receives a line for each failed attempt */
  constructor(
    private readonly dataSource: DataSource,
    private readonly patience: Patience,
    private readonly report: (line: string) => void,
  ) {}

  /**
   * Statements take as long as they need once they have their locks.
   *
   * @param what the name of the work in messages
   * @throws Error with one line when it gives up, and whatever else `work` throws
   */
  inTransaction<T>(what: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.insist(what, () => this.transaction(0, work));
  }

  /** Runs while programs run: no statement may take long. */
  inPassing<T>(what: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.insist(what, () => this.transaction(this.patience.statementTimeoutMs, work));
  }

  /** Runs outside of any transaction, for statements that no other queues after. */
  inBackground(what: string, work: (runner: QueryRunner) => Promise<void>): Promise<void> {
    return this.insist(what, async () => {
      const runner = this.dataSource.createQueryRunner();
      try {
        // The role's limit for statements does not apply to this one.
        await runner.query(
          `set statement_timeout = 0; set lock_timeout = ${this.patience.backgroundLockTimeoutMs}`,
        );
        await work(runner);
      } finally {
        await runner.release();
      }
    });
  }

  /**
   * Postgres cancels an autovacuum in the way only when the blocked statement checks for a
   * deadlock, after it has given up here. A role that may set that time checks earlier; for others
   * an autovacuum has to be cancelled by hand.
   */
  private transaction<T>(statementTimeoutMs: number, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const { lockTimeoutMs, idleTimeoutMs } = this.patience;
    return this.dataSource.transaction(async (tx) => {
      await tx.query(
        `select set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true),
                set_config('idle_in_transaction_session_timeout', $3, true),
                case when has_parameter_privilege('deadlock_timeout', 'set')
                     then set_config('deadlock_timeout', $4, true) end`,
        [lockTimeoutMs, statementTimeoutMs, idleTimeoutMs, lockTimeoutMs / 2].map(String),
      );
      // On a busy host the pause between two statements may be longer than the limit for it.
      return work(tx).catch((error: unknown) => {
        throw isOutage(error) ? new Interrupted(error) : error;
      });
    });
  }

  private async insist<T>(what: string, work: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.patience.givesUpAfterMs;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isHeldUp(error) && !isDeadlock(error) && !(error instanceof Interrupted)) throw error;
        const cause = (error as Error).message;
        if (performance.now() >= until)
          throw new Error(`${what} gave up: ${cause}. ${await this.suspect()}`, { cause: error });
        this.report(`${what} is tried again: ${cause}.`);
        await pause(this.patience.pauseMs);
      }
    }
  }

  /** Names the oldest transaction, which most often holds the lock, if this role may see it. */
  private async suspect(): Promise<string> {
    const [oldest] = await this.dataSource.query<{ pid: number; name: string; seconds: number }[]>(
      `select pid, coalesce(nullif(application_name, ''), backend_type) as name,
              extract(epoch from now() - xact_start)::integer as seconds
         from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
        order by xact_start limit 1`,
    );
    if (!oldest) return 'Look in pg_stat_activity for the session that keeps the lock.';
    return `The oldest transaction is that of process ${oldest.pid} (${oldest.name}), for ${oldest.seconds} s.`;
  }
}
