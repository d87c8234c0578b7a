import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, IsNull, Repository } from 'typeorm';
import { isWithin } from '../../platform/postgres';
import { TicketKeyRow } from './ticket-key.entity';

const DAY_SECONDS = 86_400;

@Injectable()
export class TicketKeyRepository {
  constructor(@InjectRepository(TicketKeyRow) private readonly rows: Repository<TicketKeyRow>) {}

  /**
   * Counts the live keys of a sponsor, and those of the last 24 hours, including deleted ones. No other
   * transaction can add one before this one ends.
   */
  async lockCounts(tx: EntityManager, sponsorId: string): Promise<{ live: number; ofDay: number }> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('ticket keys of ' || $1, 0))`, [sponsorId]);
    const [row] = await tx.query<{ live: number; ofDay: number }[]>(
      `select (select count(*)::int from ticket_key where sponsor_id = $1 and deleted_at is null) as live,
              (select count(*)::int from ticket_key
                where sponsor_id = $1 and ${isWithin('created_at', DAY_SECONDS)}) as "ofDay"`,
      [sponsorId],
    );
    return row!;
  }

  insert(tx: EntityManager, key: Pick<TicketKeyRow, 'sponsorId' | 'secret'>): Promise<TicketKeyRow> {
    return tx.save(TicketKeyRow, key);
  }

  /** Newest first. */
  ofSponsors(sponsorIds: readonly string[]): Promise<TicketKeyRow[]> {
    return this.rows.find({ where: { sponsorId: In(sponsorIds) }, order: { id: 'desc' } });
  }

  findKey(id: string, tx: EntityManager = this.rows.manager): Promise<TicketKeyRow | null> {
    return tx.findOneBy(TicketKeyRow, { id });
  }

  /** Returns true when there was such a key. */
  async markDeleted(tx: EntityManager, id: string): Promise<boolean> {
    const deleted = { deletedAt: () => 'now()', secret: null };
    const { affected } = await tx.update(TicketKeyRow, { id, deletedAt: IsNull() }, deleted);
    return affected === 1;
  }
}
