import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { isStaff } from '../../../libs/roles';
import { newSecret } from '../../../libs/standard-webhooks';
import { type Caller, IdempotencyService, type IdempotentRequest } from '../../platform/http';
import { sponsorOf } from '../../core/activity';
import { AuditLog } from '../../core/audit';
import { ticketKeyNotFound, tooManyTicketKeys } from './ticket.error';
import type {
  CreatedTicketKeyDto,
  TicketKeyDto,
  TicketKeyListDto,
  TicketKeysOf,
  TicketKeysQuery,
} from './ticket-key.dto';
import type { TicketKeyRow } from './ticket-key.entity';
import { TicketKeyRepository } from './ticket-key.repository';

/** A ticket that names no key is tried with each, so there are few. */
const KEYS_MAX = 4;

/** A key leaves its row and two audit entries behind when it is deleted. */
const KEYS_PER_DAY_MAX = 20;

@Injectable()
export class TicketKeyService {
  constructor(
    private readonly keys: TicketKeyRepository,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /**
   * The secret is not stored with the answer: a client that repeats its request receives it while
   * the key exists.
   * @throws Problem `request.invalid` naming the sponsor, tooManyTicketKeys, ticketKeyNotFound when
   *   it was deleted since
   */
  async create(request: IdempotentRequest, body: TicketKeysOf): Promise<CreatedTicketKeyDto> {
    const sponsorId = sponsorOf(request.caller, body);
    const key = await this.idempotency.once(request, async (tx) => {
      const { live, ofDay } = await this.keys.lockCounts(tx, sponsorId);
      if (live >= KEYS_MAX) throw tooManyTicketKeys(`A sponsor may have ${KEYS_MAX}; delete one first.`);
      if (ofDay >= KEYS_PER_DAY_MAX)
        throw tooManyTicketKeys(`A sponsor may create ${KEYS_PER_DAY_MAX} within 24 hours.`);
      const dto = toDto(await this.keys.insert(tx, { sponsorId, secret: newSecret() }));
      await this.audit.record(tx, request.caller, {
        action: 'ticket-key.create',
        id: dto.id,
        after: { sponsorId },
      });
      return dto;
    });
    const row = await this.keys.findKey(key.id);
    if (!row) throw unknownKey(key.id);
    return { ...key, secret: row.secret! };
  }

  /** @throws Problem `request.invalid` naming the sponsor */
  async list(caller: Caller, query: TicketKeysQuery): Promise<TicketKeyListDto> {
    return { items: (await this.keys.ofSponsors([sponsorOf(caller, query)])).map(toDto) };
  }

  /** @throws ticketKeyNotFound, as for callers who are neither its sponsor nor staff */
  async delete(actor: Caller, id: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const row = await this.keys.findKey(id, tx);
      const isTheirs = row !== null && (isStaff(actor.role) || row.sponsorId === actor.userId);
      if (!isTheirs || !(await this.keys.markDeleted(tx, id))) throw unknownKey(id);
      const { sponsorId } = row;
      await this.audit.record(tx, actor, { action: 'ticket-key.delete', id, before: { sponsorId } });
    });
  }
}

const unknownKey = (id: string): Error => ticketKeyNotFound(`There is no ticket key ${id}.`);

const toDto = ({ id, sponsorId, createdAt }: TicketKeyRow): TicketKeyDto => ({
  id,
  sponsorId,
  createdAt: createdAt.toISOString(),
});
