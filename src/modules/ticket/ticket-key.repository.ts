import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, IsNull, Repository } from 'typeorm';
import { TicketKeyRow } from './ticket-key.entity';

@Injectable()
export class TicketKeyRepository {
  constructor(@InjectRepository(TicketKeyRow) private readonly rows: Repository<TicketKeyRow>) {}

  /** No other transaction can add a key of this sponsor before this one ends. */
  async lockCount(tx: EntityManager, sponsorId: string): Promise<number> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('ticket keys of ' || $1, 0))`, [sponsorId]);
    return tx.countBy(TicketKeyRow, { sponsorId });
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
