import { Injectable } from '@nestjs/common';
import { IdempotencyService, type IdempotentRequest } from '../../platform/http';
import { AuditLog } from '../audit';
import { Currencies } from '../currency';
import { type DeadLetterDto, letterDto } from './dead-letter.dto';
import { DeadLetterRepository } from './dead-letter.repository';
import { SettlementQueue } from './settlement-queue';
import { claimNotHeld, claimNotPending } from './wallet.error';

/** Claims that staff review before they are paid. A held claim is a dead letter with the reason `held`. */
@Injectable()
export class HoldService {
  constructor(
    private readonly letters: DeadLetterRepository,
    private readonly settlement: SettlementQueue,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    private readonly currencies: Currencies,
  ) {}

  /** @throws claimNotPending */
  hold(request: IdempotentRequest, claimId: string, reason: string): Promise<DeadLetterDto> {
    return this.idempotency.once(request, async (tx) => {
      const letter = await this.letters.hold(tx, claimId, reason);
      if (!letter) throw claimNotPending(`Claim ${claimId} does not wait for its payment.`);
      const after = { settlement: 'held', reason };
      await this.audit.record(tx, request.caller, { action: 'claim.hold', id: claimId, after });
      return letterDto(letter, await this.currencies.ofActivity(letter.activityId));
    });
  }

  /** @throws claimNotHeld */
  async release(request: IdempotentRequest, claimId: string): Promise<DeadLetterDto> {
    const released = await this.idempotency.once(request, async (tx) => {
      const letter = await this.letters.lockHeld(tx, claimId);
      if (!letter) throw claimNotHeld(`Claim ${claimId} is not held.`);
      await this.letters.replay(tx, letter.id);
      const [before, after] = [{ settlement: 'held' }, { settlement: 'pending' }];
      await this.audit.record(tx, request.caller, { action: 'claim.release', id: claimId, before, after });
      return {
        ...letterDto(letter, await this.currencies.ofActivity(letter.activityId)),
        status: 'replayed' as const,
      };
    });
    this.settlement.offer([claimId]);
    return released;
  }
}
