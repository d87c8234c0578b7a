import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Faults } from '../../platform/http';
import { durabilityFaults, isDiskFault, transactionNumbersLeft, writeToDisk } from '../../platform/postgres';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';

const LOOK_EVERY_MS = 5_000;

/** Autovacuum alone never leaves fewer; a busy system uses this many in a few hours. */
const NUMBERS_FEW = 100_000_000;

/**
 * Checks that Postgres keeps what it commits, can write to its disk and has transaction numbers. A
 * program does not start on a server that forgets commits, but a reload can change settings.
 *
 * Faults that were there at the start are not reported: in production they stop the start, and
 * tests run on a server that need not survive a power failure.
 */
@Injectable()
export class PostgresWatch implements OnModuleInit {
  private readonly logger = new Logger('PostgresWatch');
  private readonly durable;
  private readonly writable;
  private readonly numbersLeft;
  private known?: readonly string[];

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly faults: Faults,
    metrics: Metrics,
  ) {
    this.durable = metrics.observation({
      name: 'hongbao_postgres_durable',
      help: '1 while Postgres keeps what it commits, 0 since fsync, full_page_writes or synchronous_commit was switched off',
    });
    this.writable = metrics.observation({
      name: 'hongbao_postgres_disk_writable',
      help: '1 while Postgres can write to its disk, 0 while it cannot, as when that is full',
    });
    this.numbersLeft = metrics.observation({
      name: 'hongbao_postgres_transactions_left',
      help: 'Transaction numbers that are left before Postgres refuses writes; vacuum makes more',
    });
  }

  async onModuleInit(): Promise<void> {
    this.known = await durabilityFaults(this.dataSource);
  }

  @Repeats('PostgresWatch', LOOK_EVERY_MS)
  async checkSettings(): Promise<void> {
    const faults = (await durabilityFaults(this.dataSource)).filter((fault) => !this.known?.includes(fault));
    this.durable.set(faults.length === 0 ? 1 : 0);
    this.tell(
      'durability',
      faults.length > 0 ? 'of commits is switched off in Postgres' : undefined,
      faults.join(' '),
    );
    const left = await transactionNumbersLeft(this.dataSource);
    this.numbersLeft.set(left);
    this.tell(
      'wraparound',
      left < NUMBERS_FEW ? 'of transaction numbers is near; vacuum all databases of Postgres' : undefined,
      `${left} numbers are left`,
    );
    const error = await this.writeError();
    this.writable.set(error === undefined ? 1 : 0);
    this.tell('disk', error && 'of Postgres cannot be written to', error);
  }

  private async writeError(): Promise<string | undefined> {
    try {
      await writeToDisk(this.dataSource);
      return undefined;
    } catch (error) {
      if (!isDiskFault(error)) throw error;
      return String(error);
    }
  }

  /** Logs one line when a fault begins or ends. */
  private tell(part: string, fault: string | undefined, details = ''): void {
    if (!this.faults.report(part, fault)) return;
    if (fault === undefined) this.logger.log(`${part} of Postgres: all is well again`);
    else this.logger.error(`${part} ${fault}: ${details}`);
  }
}
