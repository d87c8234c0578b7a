import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  type Caller,
  decodeCursor,
  IdempotencyService,
  type IdempotentRequest,
  type Page,
  toPage,
} from '../../../platform/http';
import { AuditLog } from '../../../core/audit';
import type { FindingRow } from '../channel/finding.entity';
import { CALLS_LOST, FindingRepository } from '../channel/finding.repository';
import type { EndedFindingsDto, FindingDto, FindingsQuery } from './finding.dto';
import { LostCalls } from '../book/lost-calls';
import { ownPayout } from '../book/payout.error';
import { statementNotFound } from '../statement/statement.error';
import { findingEnded, findingNotFound } from './finding.error';
import { PayoutRepository } from '../book/payout.repository';

/** A file makes fewer, unless it lacks the payments of a large day. */
const ENDED_AT_ONCE_MAX = 50_000;

@Injectable()
export class FindingService {
  constructor(
    private readonly findings: FindingRepository,
    private readonly payouts: PayoutRepository,
    private readonly lostCalls: LostCalls,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
  ) {}

  async list({ state, channelId, limit, cursor }: FindingsQuery): Promise<Page<FindingDto>> {
    const filter = { isOpen: state === 'open', channelId };
    const rows = await this.findings.list(filter, decodeCursor(cursor), limit + 1);
    const { items, nextCursor } = toPage(rows, limit, ({ id }) => id);
    return { items: items.map(toFindingDto), nextCursor };
  }

  /** @throws findingNotFound, findingEnded, ownPayout */
  own(request: IdempotentRequest, id: string): Promise<FindingDto> {
    return this.idempotency.once(request, async (tx) => {
      const { owner: before } = await this.lockOpen(tx, request.caller, id);
      const owner = request.caller.userId;
      await this.findings.own(tx, id, owner);
      const change = { before: { owner: before }, after: { owner } };
      await this.audit.record(tx, request.caller, { action: 'payout-finding.own', id, ...change });
      return toFindingDto((await this.findings.lock(tx, id))!);
    });
  }

  /** @throws findingNotFound, findingEnded, ownPayout */
  end(request: IdempotentRequest, id: string, resolution: string): Promise<FindingDto> {
    return this.idempotency.once(request, async (tx) => {
      const before = await this.lockOpen(tx, request.caller, id);
      if (before.kind === CALLS_LOST) await this.lostCalls.end(tx, id);
      await this.findings.end(tx, id, request.caller.userId, resolution);
      await this.audit.record(tx, request.caller, {
        action: 'payout-finding.end',
        id,
        after: { resolution },
        detail: { payoutId: before.payoutId, kind: before.kind },
      });
      return toFindingDto((await this.findings.lock(tx, id))!);
    });
  }

  /**
   * Ends all findings of a file together. Nobody decides on their own payouts, so those stay open.
   * @throws statementNotFound
   */
  endOfFile(request: IdempotentRequest, statementId: string, resolution: string): Promise<EndedFindingsDto> {
    const { caller } = request;
    return this.idempotency.once(request, async (tx) => {
      const file = await this.findings.findFile(tx, statementId);
      if (!file) throw statementNotFound(`There is no file ${statementId}.`);
      const ended = await this.findings.endOfFile(
        tx,
        statementId,
        caller.userId,
        resolution,
        ENDED_AT_ONCE_MAX,
      );
      await this.audit.record(tx, caller, {
        action: 'payout-statement.end-findings',
        id: statementId,
        after: { resolution },
        detail: { ...file, ended },
      });
      return { ended, left: await this.findings.openOfFile(tx, statementId) };
    });
  }

  /**
   * Locks a finding that the caller may decide on.
   * @throws findingNotFound, findingEnded, ownPayout
   */
  private async lockOpen(tx: EntityManager, { userId }: Caller, id: string): Promise<FindingRow> {
    const finding = await this.findings.lock(tx, id);
    if (!finding) throw findingNotFound(`There is no finding ${id}.`);
    if (finding.endedAt) throw findingEnded(`${finding.endedBy} has ended finding ${id}.`);
    if ((await this.userOf(tx, finding)) === userId)
      throw ownPayout(`Finding ${id} is about your own payout.`);
    return finding;
  }

  /** A channel's file may name a user next to an id that was never sent. */
  private async userOf(tx: EntityManager, { payoutId, detail }: FindingRow): Promise<string | undefined> {
    if (payoutId !== null) return (await this.payouts.findPayout(payoutId, tx))?.userId;
    return (detail as { userId?: string }).userId;
  }
}

export const toFindingDto = ({ foundAt, endedAt, ...finding }: FindingRow): FindingDto => ({
  ...finding,
  foundAt: foundAt.toISOString(),
  endedAt: endedAt?.toISOString() ?? null,
});
