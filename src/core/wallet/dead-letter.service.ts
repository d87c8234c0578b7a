import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  decodeCursor,
  IdempotencyService,
  type IdempotentRequest,
  type Page,
  toPage,
} from '../../platform/http';
import { AuditLog } from '../audit';
import { Currencies } from '../currency';
import type { DeadLetterRow } from './dead-letter.entity';
import { type DeadLetterFilter, DeadLetterRepository } from './dead-letter.repository';
import { type DeadLetterDto, type DeadLetterQuery, letterDto, type ReplayedDto } from './dead-letter.dto';
import { SettlementQueue } from './settlement-queue';
import { deadLetterNotFound, deadLetterNotOpen } from './wallet.error';

const REPLAYS_MAX = 1_000;

/** Operators' actions on dead letters. Replayed claims go to the queue after the commit. */
@Injectable()
export class DeadLetterService {
  constructor(
    private readonly letters: DeadLetterRepository,
    private readonly settlement: SettlementQueue,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    private readonly currencies: Currencies,
  ) {}

  async list({ status, limit, cursor, ...filter }: DeadLetterQuery): Promise<Page<DeadLetterDto>> {
    const rows = await this.letters.list(status, decodeCursor(cursor), limit + 1, filter);
    const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
    return { items: await Promise.all(items.map((row) => this.toDto(row))), nextCursor };
  }

  /** @throws deadLetterNotFound, deadLetterNotOpen */
  async replay(request: IdempotentRequest, id: string): Promise<DeadLetterDto> {
    const letter = await this.idempotency.once(request, async (tx) => {
      const before = await this.lockLetter(tx, id);
      const claimId = await this.letters.replay(tx, id);
      if (claimId === undefined) throw deadLetterNotOpen(`Dead letter ${id} was ${before.status} already.`);
      const after = await this.lockLetter(tx, id);
      await this.audit.record(tx, request.caller, {
        action: 'dead-letter.replay',
        id,
        before: { status: before.status },
        after: { status: after.status },
      });
      return this.toDto(after);
    });
    this.settlement.offer([letter.claimId]);
    return letter;
  }

  async replayMany(request: IdempotentRequest, filter: DeadLetterFilter): Promise<ReplayedDto> {
    let claimIds: string[] = [];
    const answer = await this.idempotency.once(request, async (tx) => {
      claimIds = await this.letters.replayMany(tx, filter, REPLAYS_MAX);
      await this.audit.record(tx, request.caller, {
        action: 'dead-letter.replay',
        id: 'many',
        before: { status: 'open' },
        after: { status: 'replayed' },
        detail: { filter, claimIds },
      });
      return { replayed: claimIds.length };
    });
    this.settlement.offer(claimIds);
    return answer;
  }

  /** @throws deadLetterNotFound, deadLetterNotOpen */
  resolve(request: IdempotentRequest, id: string, reason: string): Promise<DeadLetterDto> {
    return this.idempotency.once(request, async (tx) => {
      const before = await this.lockLetter(tx, id);
      if (!(await this.letters.resolve(tx, id, reason))) {
        throw deadLetterNotOpen(`Dead letter ${id} was ${before.status} already.`);
      }
      const after = await this.lockLetter(tx, id);
      await this.audit.record(tx, request.caller, {
        action: 'dead-letter.resolve',
        id,
        before: { status: before.status },
        after: { status: after.status, resolution: reason },
      });
      return this.toDto(after);
    });
  }

  private async lockLetter(tx: EntityManager, id: string): Promise<DeadLetterRow> {
    const letter = await this.letters.lock(tx, id);
    if (!letter) throw deadLetterNotFound(`There is no dead letter ${id}.`);
    return letter;
  }

  private async toDto(letter: DeadLetterRow): Promise<DeadLetterDto> {
    return letterDto(letter, await this.currencies.ofActivity(letter.activityId));
  }
}
