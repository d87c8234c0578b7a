import { Injectable } from '@nestjs/common';
import {
  decodeCursor,
  IdempotencyService,
  type IdempotentRequest,
  type Page,
  toPage,
} from '../../platform/http';
import { AuditLog } from '../audit';
import type { FindingRow } from './finding.entity';
import { FindingRepository } from './finding.repository';
import type { FindingDto, FindingsQuery } from './payout.dto';
import { findingEnded, findingNotFound, ownPayout } from './payout.error';
import { PayoutRepository } from './payout.repository';

@Injectable()
export class FindingService {
  constructor(
    private readonly findings: FindingRepository,
    private readonly payouts: PayoutRepository,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
  ) {}

  async list({ state, limit, cursor }: FindingsQuery): Promise<Page<FindingDto>> {
    const rows = await this.findings.list(state === 'open', decodeCursor(cursor), limit + 1);
    const { items, nextCursor } = toPage(rows, limit, ({ id }) => id);
    return { items: items.map(toDto), nextCursor };
  }

  /** @throws findingNotFound, findingEnded, ownPayout */
  end(request: IdempotentRequest, id: string, resolution: string): Promise<FindingDto> {
    return this.idempotency.once(request, async (tx) => {
      const before = await this.findings.lock(tx, id);
      if (!before) throw findingNotFound(`There is no finding ${id}.`);
      if (before.endedAt) throw findingEnded(`${before.endedBy} has ended finding ${id}.`);
      if ((await this.userOf(before)) === request.caller.userId)
        throw ownPayout(`Finding ${id} is about your own payout.`);
      await this.findings.end(tx, id, request.caller.userId, resolution);
      await this.audit.record(tx, request.caller, {
        ...{ action: 'payout-finding.end', id, after: { resolution } },
        detail: { payoutId: before.payoutId, kind: before.kind },
      });
      return toDto((await this.findings.lock(tx, id))!);
    });
  }

  /** A channel's file names a user beside an id that was never sent. */
  private async userOf({ payoutId, detail }: FindingRow): Promise<string | undefined> {
    if (payoutId !== null) return (await this.payouts.findPayout(payoutId))?.userId;
    return (detail as { userId?: string }).userId;
  }
}

const toDto = ({ foundAt, endedAt, ...finding }: FindingRow): FindingDto => ({
  ...finding,
  foundAt: foundAt.toISOString(),
  endedAt: endedAt?.toISOString() ?? null,
});
