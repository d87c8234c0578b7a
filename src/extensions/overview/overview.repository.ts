import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { SecondPerson } from '../../core/second-person';

export interface MoneyFigures {
  readonly unpaid: number;
  readonly oldestUnpaidSeconds: number;
  readonly deadLetters: number;
  readonly approvals: number;
}

const AGE = `greatest(0, extract(epoch from now() - queued_at))::float8`;

@Injectable()
export class OverviewRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly secondPerson: SecondPerson,
  ) {}

  async money(): Promise<MoneyFigures> {
    const [row] = await this.dataSource.query<MoneyFigures[]>(
      `select (select count(*) from unsettled_claim)::int as unpaid,
              coalesce((select ${AGE} from unsettled_claim order by claim_id limit 1), 0) as "oldestUnpaidSeconds",
              (select count(*) from dead_letter where status = 'open')::int as "deadLetters",
              (select count(*) from (${this.secondPerson.undecidedDeeds}) as deed
                where expires_at > now())::int as approvals`,
    );
    return row!;
  }

  /**
   * The seconds that the oldest unpaid claim of an activity has waited; null when all are paid.
   * Claims are searched in the order of their confirmation, so it is found at once while the
   * activity is among the oldest.
   */
  async oldestUnpaidSeconds(activityId: string): Promise<number | null> {
    const [row] = await this.dataSource.query<{ age: number }[]>(
      `select ${AGE} as age from unsettled_claim where activity_id = $1 order by claim_id limit 1`,
      [activityId],
    );
    return row?.age ?? null;
  }
}
