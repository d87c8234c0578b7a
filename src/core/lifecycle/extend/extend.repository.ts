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
   * Moves the end of the window, unless it is near, over or decided: the update waits for a closer that has the
   * row, and looks at it again. Confirmations do not wait, because the end is not part of a key.
   */
  async moveEnd(tx: EntityManager, id: string, closesAt: Date): Promise<boolean> {
    const [, moved] = await tx.query<[unknown, number]>(
      `update activity set closes_at = $2
        where id = $1 and status = 'active' and ending is null and closes_at < $2
          and closes_at > clock_timestamp() + ${MARGIN_SECONDS} * interval '1 second'`,
      [id, closesAt],
    );
    return moved > 0;
  }
}
