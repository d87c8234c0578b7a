import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Theme } from '../../activity';

export interface Look {
  readonly theme: Theme | null;
  readonly logo: Buffer | null;
}

@Injectable()
export class LookRepository {
  /** Keeps other changes of the look away. Confirmations of claims do not wait for this lock. */
  async lock(tx: EntityManager, activityId: string): Promise<Look> {
    const [look] = await tx.query<Look[]>(
      `select theme, logo from activity where id = $1 for no key update`,
      [activityId],
    );
    return look!;
  }

  async update(tx: EntityManager, activityId: string, { theme, logo }: Look): Promise<void> {
    await tx.query(`update activity set theme = $2, logo = $3 where id = $1`, [
      activityId,
      theme && JSON.stringify(theme),
      logo,
    ]);
  }
}
