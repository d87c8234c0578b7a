import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { must } from '../../../libs/problem';
import { invalidField } from '../../platform/http';
import {
  type Backing,
  Backings,
  defineBacking,
  type NumberedPackets,
  type WantedPackets,
} from '../../core/currency';
import { sealKeyMissing, tooFewCodes } from './code-pool.error';
import { CodePoolRepository } from './code-pool.repository';
import { PoolKeys } from './pool-keys';

defineBacking([tooFewCodes, sealKeyMissing]);

/**
 * Gives each packet of an activity a code of its pool when the activity is funded: the first packet gets the
 * first of the codes that it reserves, and so on. So a win decides its code, no win waits for another, and no
 * two have the same.
 */
@Injectable()
export class CodeBacking implements Backing {
  readonly kind = 'codes';

  constructor(
    private readonly pools: CodePoolRepository,
    private readonly keys: PoolKeys,
    backings: Backings,
  ) {
    backings.register(this);
  }

  /** @throws Problem `request.invalid` naming a field, tooFewCodes, sealKeyMissing */
  async requireGivable(
    tx: EntityManager,
    { currency, sponsorId, packetCount, totalMinor, splitKind, amountField }: WantedPackets,
  ): Promise<void> {
    const pool = (await this.pools.ofCurrency(currency.code, tx))!;
    if (pool.sponsorId !== sponsorId)
      throw invalidField(
        'currency',
        must.beA(
          'currency-code',
          `must not be ${currency.code}: only the sponsor of pool ${pool.id} gives its codes`,
        ),
      );
    if (splitKind !== 'equal')
      throw invalidField('split.kind', must.beOneOf(['equal'], 'must be equal: each packet gives one code'));
    if (totalMinor !== BigInt(packetCount))
      throw invalidField(
        amountField,
        must.beOneOf([String(packetCount)], `must be ${packetCount}: each packet gives one code`),
      );
    await this.keys.of(pool);
    const free = await this.pools.free(tx, pool.id);
    if (free < packetCount) throw tooFew(pool.id, free, packetCount);
  }

  /** @throws tooFewCodes */
  async reserve(
    tx: EntityManager,
    { currency, activityId, firstNo, packetCount }: NumberedPackets,
  ): Promise<void> {
    const { id } = (await this.pools.ofCurrency(currency.code, tx))!;
    await this.pools.lock(tx, id);
    for (const owed of await this.pools.owed(id, tx)) {
      if ((await this.pools.freeNow(tx, id)) >= packetCount) break;
      await this.pools.takeBack(tx, owed);
    }
    const reserved = await this.pools.reserve(tx, id, activityId, firstNo, packetCount);
    if (reserved < packetCount) throw tooFew(id, reserved, packetCount);
  }
}

const tooFew = (poolId: string, free: number, wanted: number): Error =>
  tooFewCodes(`Pool ${poolId} has ${free} free codes, and ${wanted} are needed. Upload more, or give fewer.`);
