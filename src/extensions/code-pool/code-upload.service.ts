import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Slots } from '../../../libs/slots';
import { busy, IdempotencyService, type IdempotentRequest } from '../../platform/http';
import { AuditLog } from '../../core/audit';
import { Currencies, type KnownCurrency } from '../../core/currency';
import { LedgerRepository } from '../../core/wallet';
import { type CodeFormat, type CodeLine, readCodes } from './code-lines';
import type { CodeUploadDto } from './code-pool.dto';
import { codeLineInvalid, codeTwice, tooManyCodes, uploadUnderWay } from './code-pool.error';
import { CodePoolRepository, type CodePoolRow } from './code-pool.repository';
import { CodePoolService } from './code-pool.service';
import type { PoolKey } from './code-seal';
import { PoolKeys } from './pool-keys';

export const CODES_OF_UPLOAD_MAX = 1_000_000;
const CODES_OF_POOL_MAX = 10_000_000;

/** Sealing these takes some milliseconds, after which others get their turn. */
const CODES_AT_ONCE = 500;

/** Each holds a connection for as long as its file arrives. */
const AT_ONCE_MAX = 2;

/**
 * Takes all codes of a file or none, while it arrives: one transaction seals and writes them, brings as many
 * units into the sponsor's wallet, and makes the codes free.
 */
@Injectable()
export class CodeUploadService {
  private readonly slots = new Slots(AT_ONCE_MAX);

  constructor(
    private readonly service: CodePoolService,
    private readonly pools: CodePoolRepository,
    private readonly keys: PoolKeys,
    private readonly ledger: LedgerRepository,
    private readonly currencies: Currencies,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
  ) {}

  /**
   * @throws codePoolNotFound, sealKeyMissing, uploadUnderWay, codeLineInvalid, codeTwice, tooManyCodes,
   * balanceLimitReached, busy
   */
  async upload(
    request: IdempotentRequest,
    poolId: string,
    format: CodeFormat,
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<CodeUploadDto> {
    const { caller } = request;
    const managed = await this.service.managedBy(caller, poolId);
    const key = await this.keys.of(managed);
    // In the transaction, which holds a connection, it would need another one.
    const currency = await this.currencies.of(managed.currency);
    const upload = () =>
      this.idempotency.once(request, async (tx, sourceId) => {
        if (!(await this.pools.beginUpload(tx, poolId)))
          throw uploadUnderWay(`Wait until the other upload to pool ${poolId} has ended.`, {
            retryAfterSeconds: 1,
          });
        const pool = (await this.pools.findPool(poolId, tx))!;
        const count = await this.writeAll(tx, pool, key, readCodes(bytes, format, CODES_AT_ONCE));
        const uploaded = pool.uploaded + count;
        await this.mint(tx, pool.sponsorId, currency, count, sourceId);
        await this.pools.publish(tx, poolId, pool.uploaded + 1, count);
        await this.audit.record(tx, caller, {
          action: 'code-pool.upload',
          id: poolId,
          before: { uploaded: pool.uploaded },
          after: { uploaded },
        });
        return { count, uploaded };
      });
    return this.slots.run(caller.role, upload, () =>
      busy('Other codes are being uploaded; try again in a moment.', { retryAfterSeconds: 1 }),
    );
  }

  private async writeAll(
    tx: EntityManager,
    pool: CodePoolRow,
    key: PoolKey,
    batches: AsyncIterable<CodeLine[]>,
  ): Promise<number> {
    let count = 0;
    for await (const lines of batches) {
      requireRoom(pool, count + lines.length);
      const digests = lines.map(({ code }) => key.digest(code));
      await this.requireNew(tx, pool.id, lines, digests);
      const firstNo = pool.uploaded + count + 1;
      await this.pools.write(
        tx,
        pool.id,
        lines.map(({ code }, i) => ({
          no: firstNo + i,
          sealed: key.seal(firstNo + i, code),
          digest: digests[i]!,
        })),
      );
      count += lines.length;
    }
    if (count === 0) throw codeLineInvalid('The file has no codes. Send one per line.');
    return count;
  }

  /** Earlier codes of the file are in the pool by now. @throws codeTwice naming the first line */
  private async requireNew(
    tx: EntityManager,
    poolId: string,
    lines: readonly CodeLine[],
    digests: readonly Buffer[],
  ): Promise<void> {
    const names = digests.map((digest) => digest.toString('hex'));
    const seen = new Set(
      (await this.pools.known(tx, poolId, digests)).map((digest) => digest.toString('hex')),
    );
    names.forEach((name, i) => {
      if (seen.has(name))
        throw codeTwice(
          `Line ${lines[i]!.no}: its code is already in pool ${poolId} or in this file. Nothing of the file was uploaded.`,
        );
      seen.add(name);
    });
  }

  private async mint(
    tx: EntityManager,
    sponsorId: string,
    currency: KnownCurrency,
    count: number,
    sourceId: string,
  ): Promise<void> {
    await this.ledger.transfer(tx, {
      kind: 'deposit',
      sourceId,
      activityId: null,
      debitAccountId: await this.ledger.fundingAccount(tx, currency),
      creditAccountId: await this.ledger.walletOf(tx, sponsorId, currency),
      amountMinor: BigInt(count),
    });
  }
}

/** @throws tooManyCodes */
function requireRoom({ id, uploaded }: CodePoolRow, count: number): void {
  if (count > CODES_OF_UPLOAD_MAX)
    throw tooManyCodes(`A file may have ${CODES_OF_UPLOAD_MAX} codes; send the others in another file.`);
  if (uploaded + count > CODES_OF_POOL_MAX)
    throw tooManyCodes(`Pool ${id} has ${uploaded} codes, and may have ${CODES_OF_POOL_MAX}.`);
}
