import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { AdmissionRow } from '../../core/activity';
import {
  type AdmissionRule,
  AdmissionRules,
  type Admitted,
  defineTapOption,
  type TapOptions,
} from '../../core/grab';
import { AppConfig } from '../../platform/config';
import { ticketInvalid, ticketRequired } from './ticket.error';
import { TicketKeyRepository } from './ticket-key.repository';
import { TICKET_LENGTH_MAX, type TicketKey, ticketKey, Tickets } from './tickets';

const SPONSORS_MAX = 10_000;

defineTapOption({
  header: 'Ticket',
  description: "The sponsor's ticket for this user, if the activity requires one; ignored if it does not.",
  schema: { type: 'string', maxLength: TICKET_LENGTH_MAX },
  problems: [ticketRequired, ticketInvalid],
});

/**
 * Admits users with a ticket of the activity's sponsor. The keys of sponsors are read again every
 * second; while Postgres is down, the last known ones count.
 */
@Injectable()
export class TicketRule implements AdmissionRule {
  readonly kinds = ['ticket'];
  private readonly tickets: Tickets;
  private readonly keys = new LRUCache<string, readonly TicketKey[]>({ max: SPONSORS_MAX });

  constructor(
    private readonly keyRows: TicketKeyRepository,
    private readonly config: AppConfig,
    rules: AdmissionRules,
  ) {
    this.tickets = new Tickets(config.JWT_CLOCK_TOLERANCE_SECONDS);
    rules.addRule(this);
  }

  /** @throws ticketRequired, ticketInvalid */
  admit({ id, sponsorId }: AdmissionRow, userId: string, { ticket }: TapOptions): Pick<Admitted, 'hold'> {
    return this.tickets.admit(this.keys.get(sponsorId) ?? [], id, userId, ticket);
  }

  isPreparedFor({ sponsorId }: AdmissionRow): boolean {
    return this.keys.has(sponsorId);
  }

  prepare(activities: readonly AdmissionRow[]): Promise<void> {
    return this.readKeys(activities.map(({ sponsorId }) => sponsorId));
  }

  refresh(newest: readonly AdmissionRow[]): Promise<void> {
    return this.readKeys([...this.keys.keys(), ...newest.map(({ sponsorId }) => sponsorId)]);
  }

  async mayAdmitAnyone({ sponsorId }: Pick<AdmissionRow, 'sponsorId'>): Promise<boolean> {
    return (await this.keyRows.ofSponsors([sponsorId])).length > 0;
  }

  private async readKeys(sponsorIds: readonly string[]): Promise<void> {
    const ids = [...new Set(sponsorIds)];
    const keyRows = ids.length === 0 ? [] : await this.keyRows.ofSponsors(ids);
    for (const sponsorId of ids) {
      const former = this.keys.peek(sponsorId) ?? [];
      const own = keyRows.filter((row) => row.sponsorId === sponsorId);
      this.keys.set(
        sponsorId,
        own.map(({ id, secret }) => former.find((key) => key.id === id) ?? this.keyOf(id, secret!)),
      );
    }
  }

  private keyOf(id: string, secret: string): TicketKey {
    return ticketKey(id, secret, this.config.JWT_CLOCK_TOLERANCE_SECONDS);
  }
}
