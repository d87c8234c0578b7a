import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Batcher } from '../../../libs/batching';
import { DeadlineExceeded, within } from '../../../libs/deadline';
import { AppConfig } from '../../platform/config';
import { unavailable } from '../../platform/http';
import { InjectUrgentPool, type Queries } from '../../platform/postgres';
import { Repeats } from '../../platform/schedule';
import {
  type AdmissionRow,
  ActivityRepository,
  isNewer,
  noSuchActivity,
  refuseNewer,
} from '../../core/activity';
import { TicketKeyRepository } from './ticket-key.repository';
import { type Admitted, type TicketKey, ticketKey, Tickets } from './tickets';

/** The longest time until a process knows a new key, or no longer believes a deleted one. */
const REFRESH_MS = 1_000;

/** A crowd comes to new activities: so many are known before the first tap. */
const NEWEST = 200;
const KNOWN_MAX = 10_000;

const LOOKUPS_PER_QUERY_MAX = 500;
const LOOKUPS_WAITING_MAX = 5_000;

/**
 * Asks for a ticket where an activity wants one, before Redis is asked. Terms never change, so each
 * process asks Postgres once about an activity, and mostly before it is tapped. The keys of
 * sponsors are read again every second; while Postgres is away, the last known ones count.
 */
@Injectable()
export class Admissions implements OnModuleInit {
  private readonly tickets: Tickets;
  private readonly rows = new LRUCache<string, AdmissionRow>({ max: KNOWN_MAX });
  private readonly keys = new LRUCache<string, readonly TicketKey[]>({ max: KNOWN_MAX });
  private readonly lookups = new Batcher<string, AdmissionRow | undefined>({
    run: (ids) => this.lookUp(ids),
    sizeMax: LOOKUPS_PER_QUERY_MAX,
    concurrencyMax: 1,
  });

  constructor(
    private readonly activities: ActivityRepository,
    private readonly keyRows: TicketKeyRepository,
    private readonly config: AppConfig,
    @InjectUrgentPool() private readonly db: Queries,
  ) {
    this.tickets = new Tickets(config.JWT_CLOCK_TOLERANCE_SECONDS);
  }

  onModuleInit(): Promise<void> {
    return this.refresh();
  }

  /**
   * Returns a promise only when this process meets the activity for the first time.
   *
   * @throws (or rejects with) ticketRequired, ticketInvalid, activityNotFound, activityNewer, unavailable
   */
  admit(activityId: string, userId: string, ticket: unknown): Admitted | Promise<Admitted> {
    const row = this.rows.get(activityId);
    if (row && (row.ticketsOf === null || this.keys.has(row.ticketsOf))) return this.by(row, userId, ticket);
    return this.meet(activityId).then((met) => this.by(met, userId, ticket));
  }

  private by(row: AdmissionRow, userId: string, ticket: unknown): Admitted {
    if (isNewer(row)) throw refuseNewer(row.id);
    const { id, ticketsOf, hasLimits: mayLimit } = row;
    if (ticketsOf === null) return { hold: false, mayLimit };
    return { ...this.tickets.admit(this.keys.get(ticketsOf) ?? [], id, userId, ticket), mayLimit };
  }

  @Repeats('Admissions', REFRESH_MS)
  async refresh(): Promise<void> {
    await this.learn(await this.activities.newestAdmissions(NEWEST), [...this.keys.keys()]);
  }

  private async meet(activityId: string): Promise<AdmissionRow> {
    if (this.lookups.size >= LOOKUPS_WAITING_MAX) throw full();
    const row = await within(this.config.CONFIRM_TIMEOUT_MS, this.lookups.submit(activityId)).catch(
      (cause: unknown) => {
        throw cause instanceof DeadlineExceeded ? full(cause) : cause;
      },
    );
    if (!row) throw noSuchActivity(activityId);
    return row;
  }

  private async lookUp(ids: readonly string[]): Promise<(AdmissionRow | undefined)[]> {
    await this.learn(await this.activities.admissionsOf(ids, this.db), []);
    return ids.map((id) => this.rows.get(id));
  }

  /** Reads the keys of these sponsors anew, and of those whose tickets these activities ask for. */
  private async learn(rows: readonly AdmissionRow[], sponsorIds: readonly string[]): Promise<void> {
    const ids = [...new Set([...sponsorIds, ...rows.flatMap(({ ticketsOf }) => ticketsOf ?? [])])];
    const keyRows = ids.length === 0 ? [] : await this.keyRows.ofSponsors(ids);
    for (const sponsorId of ids) {
      const former = this.keys.peek(sponsorId) ?? [];
      const own = keyRows.filter((row) => row.sponsorId === sponsorId);
      this.keys.set(
        sponsorId,
        own.map(({ id, secret }) => former.find((key) => key.id === id) ?? this.keyOf(id, secret!)),
      );
    }
    for (const row of rows) this.rows.set(row.id, row);
  }

  private keyOf(id: string, secret: string): TicketKey {
    return ticketKey(id, secret, this.config.JWT_CLOCK_TOLERANCE_SECONDS);
  }
}

const full = (cause?: unknown): Error =>
  unavailable('Try again in a moment.', { retryAfterSeconds: 1, cause });
