import { Injectable } from '@nestjs/common';
import { isStaff } from '../../../libs/roles';
import {
  type Caller,
  decodeCursor,
  IdempotencyService,
  type IdempotentRequest,
  type Page,
  toPage,
} from '../../platform/http';
import { sponsorOf } from '../../core/activity';
import { AuditLog } from '../../core/audit';
import { Currencies } from '../../core/currency';
import type { CodePoolDetailDto, CodePoolDto, CodePoolsQuery, CreateCodePoolBody } from './code-pool.dto';
import { codePoolNotFound } from './code-pool.error';
import { CodePoolRepository, type CodePoolRow, type ListedCodePool } from './code-pool.repository';
import { PoolKeys } from './pool-keys';

@Injectable()
export class CodePoolService {
  constructor(
    private readonly pools: CodePoolRepository,
    private readonly keys: PoolKeys,
    private readonly currencies: Currencies,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
  ) {}

  /** @throws sealKeyMissing, tooManyCurrencies */
  create(request: IdempotentRequest, { name, sponsorId }: CreateCodePoolBody): Promise<CodePoolDto> {
    const wrapping = this.keys.require();
    return this.idempotency.once(request, async (tx) => {
      const id = await this.pools.nextId(tx);
      const currency = `CODE${id}`;
      await this.currencies.add(tx, { code: currency, kind: 'codes', decimals: 0, name });
      const wrappedKey = wrapping.wrapNew(id);
      const pool = await this.pools.insert(tx, { id, name, sponsorId, currency, wrappedKey });
      await this.audit.record(tx, request.caller, {
        action: 'code-pool.create',
        id,
        after: { name, sponsorId, currency },
      });
      return toDto({ ...pool, free: 0 });
    });
  }

  /** @throws Problem `request.invalid` naming the sponsor or the cursor */
  async list(caller: Caller, { limit, cursor, ...query }: CodePoolsQuery): Promise<Page<CodePoolDto>> {
    const sponsorId = isStaff(caller.role) ? query.sponsorId : sponsorOf(caller, query);
    const rows = await this.pools.list(sponsorId, decodeCursor(cursor), limit + 1);
    const { items, nextCursor } = toPage(rows, limit, ({ id }) => id);
    return { items: items.map(toDto), nextCursor };
  }

  /** @throws codePoolNotFound */
  async read(caller: Caller, id: string): Promise<CodePoolDetailDto> {
    const pool = await this.managedBy(caller, id);
    const { free, shown, burnt } = await this.pools.counts(id);
    const activities = await this.pools.uses(id);
    return {
      ...toDto({ ...pool, free }),
      ...{ reserved: pool.uploaded - free - shown - burnt, shown, burnt, activities },
    };
  }

  /** @throws codePoolNotFound, as for callers who are neither its sponsor nor staff */
  async managedBy({ role, userId }: Caller, id: string): Promise<CodePoolRow> {
    const pool = await this.pools.findPool(id);
    if (pool && (isStaff(role) || pool.sponsorId === userId)) return pool;
    throw codePoolNotFound(`There is no code pool ${id}.`);
  }
}

const toDto = ({
  id,
  name,
  sponsorId,
  currency,
  uploaded,
  free,
  createdAt,
}: ListedCodePool): CodePoolDto => ({
  id,
  name,
  sponsorId,
  currency,
  uploaded,
  free,
  createdAt: createdAt.toISOString(),
});
