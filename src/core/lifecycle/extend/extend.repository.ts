import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/**
 * An activity that closes sooner than this is not extended. Once its window is over, taps are answered `closed`
 * for good, and they must not be while an extension that was accepted waits for its commit. This is longer than
 * any pause of the transaction (`time-limits.ts`) but its last.
 */
const MARGIN_SECONDS = 10;

@Injectable()
export class ExtendRepository {
  /**
   * Returns the end of the window, unless it is near, over or decided. It stays the same until this transaction
   * ends: the lock waits for a closer or another extension that has the row, and looks at it again. Confirmations
   * do not wait, because the end is not part of a key.
   */
  async lockEnd(tx: EntityManager, id: string): Promise<Date | undefined> {
    const [row] = await tx.query<{ closes_at: Date }[]>(
      `select closes_at from activity
        where id = $1 and status = 'active' and ending is null
          and closes_at > clock_timestamp() + ${MARGIN_SECONDS} * interval '1 second'
          for no key update`,
      [id],
    );
    return row?.closes_at;
  }

  async moveEnd(tx: EntityManager, id: string, closesAt: Date): Promise<void> {
    await tx.query(`update activity set closes_at = $2 where id = $1`, [id, closesAt]);
  }
}
