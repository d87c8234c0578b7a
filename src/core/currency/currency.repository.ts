import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Queries } from '../../platform/postgres';
import type { CurrencyFacts } from './known-currency';

const COLUMNS = 'number, code, kind, decimals, name';

@Injectable()
export class CurrencyRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The oldest first. There are never many. */
  list(db: Queries = this.dataSource): Promise<CurrencyFacts[]> {
    return db.query(`select ${COLUMNS} from currency order by number`);
  }

  async findByCode(code: string): Promise<CurrencyFacts | undefined> {
    const [row] = await this.dataSource.query<CurrencyFacts[]>(
      `select ${COLUMNS} from currency where code = $1`,
      [code],
    );
    return row;
  }

  async findByNumber(number: number): Promise<CurrencyFacts | undefined> {
    const [row] = await this.dataSource.query<CurrencyFacts[]>(
      `select ${COLUMNS} from currency where number = $1`,
      [number],
    );
    return row;
  }

  async codeOfActivity(activityId: string): Promise<string | undefined> {
    const [row] = await this.dataSource.query<{ currency: string }[]>(
      `select currency from activity where id = $1`,
      [activityId],
    );
    return row?.currency;
  }

  /** Changes nothing if there is a default already, whichever it is. */
  async enterDefault({ code, kind, decimals, name }: Omit<CurrencyFacts, 'number'>): Promise<void> {
    await this.dataSource.query(
      `insert into currency (${COLUMNS}) values (0, $1, $2, $3, $4) on conflict do nothing`,
      [code, kind, decimals, name],
    );
  }

  /** No other transaction can add a currency before this one ends. */
  async lock(tx: EntityManager): Promise<CurrencyFacts[]> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('currencies', 0))`);
    return this.list(tx);
  }

  /** Changes nothing if there is a currency with this code. */
  async enter(facts: Omit<CurrencyFacts, 'number'>): Promise<void> {
    if (await this.findByCode(facts.code)) return;
    await this.dataSource.transaction(async (tx) => {
      const all = await this.lock(tx);
      if (all.some(({ code }) => code === facts.code)) return;
      await this.insert(tx, { ...facts, number: all.at(-1)!.number + 1 });
    });
  }

  async insert(tx: EntityManager, { number, code, kind, decimals, name }: CurrencyFacts): Promise<void> {
    await tx.query(`insert into currency (${COLUMNS}) values ($1, $2, $3, $4, $5)`, [
      number,
      code,
      kind,
      decimals,
      name,
    ]);
  }
}
