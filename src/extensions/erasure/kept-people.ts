import { Injectable } from '@nestjs/common';
import type { Queries } from '../../platform/postgres';
import { AppConfig } from '../../platform/config';
import type { UnderWay } from './erasure';
import { ErasureRepository } from './erasure.repository';

export interface Standing {
  /** A few of the things that have to end before the person can be forgotten. */
  readonly underWay: readonly UnderWay[];
  /** Until when their records are to be kept; undefined if that is over. */
  readonly keptUntil?: Date;
}

/** People who cannot be forgotten now. */
@Injectable()
export class KeptPeople {
  constructor(
    private readonly erasures: ErasureRepository,
    private readonly config: AppConfig,
  ) {}

  async standing(userId: string, db?: Queries): Promise<Standing> {
    const underWay = await this.erasures.underWay(userId, db);
    const keptUntil = await this.erasures.keptUntil(userId, this.config.ERASURE_KEEP_DAYS, db);
    return { underWay, ...(keptUntil && { keptUntil }) };
  }
}
