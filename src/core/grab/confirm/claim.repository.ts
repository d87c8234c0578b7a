import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { invariant } from '../../../../libs/invariant';
import type { Packet, Reservation } from '../../../../libs/redis-scripts';
import { AppConfig } from '../../../platform/config';
import {
  InjectUrgentPool,
  isUniqueViolation,
  type Queries,
  retryDeadlock,
  urgentConnections,
} from '../../../platform/postgres';
import { type ActivityFacts, dealtOver, type PartOf, stretchesOf } from '../../activity';
import { confirmFile } from './schema';

export type ConfirmVerdict =
  /** The claim is valid. `claimId` is set if this very call wrote it. */
  | { readonly kind: 'confirmed'; readonly packet: Packet; readonly claimId?: string }
  /** Redis had forgotten another packet of this user. The reserved one may have an owner. */
  | {
      readonly kind: 'holds-other';
      readonly packet: Packet;
      readonly reservedIsFree: boolean;
      /** The part of that packet, if the activity is dealt over several. */
      readonly where?: PartOf;
    }
  /** Redis had forgotten that another user holds this packet. */
  | { readonly kind: 'taken'; readonly ownerId: string; readonly packet: Packet }
  /** There is no such packet: Redis holds data of another database. */
  | { readonly kind: 'unknown-packet' }
  /** The activity was closed before it could be confirmed. */
  | { readonly kind: 'closed' }
  /** The user has as many wins as the limits of the activity allow. The packet has no owner. */
  | { readonly kind: 'limit' };

export interface TapFacts {
  /** Undefined when there is no such activity. */
  readonly activity?: ActivityFacts;
  readonly packet?: Packet;
}

interface TapFactsRow {
  status: ActivityFacts['status'] | null;
  packet_count: number | null;
  is_archived: boolean;
  packet_no: number | null;
  amount_minor: string | null;
}

interface ConfirmedRow {
  id: string;
  activity_id: string;
  packet_no: number;
  user_id: string;
  amount_minor: string;
}

interface RefusedRow {
  activity_id: string;
  packet_no: number;
  user_id: string;
  active: boolean;
  limited: boolean;
  packet_amount: string | null;
  held_no: number | null;
  held_amount: string | null;
  held_part: number | null;
  parts: number | null;
  owner_id: string | null;
}

const LIMITED_REMEMBERED_MAX = 10_000;

/** Statements that turn reservations into claims, on connections that no other request holds. */
@Injectable()
export class ClaimRepository {
  /** Activities with limits that this process has met. It spares them the statement for the others. */
  private readonly limited = new LRUCache<string, true>({ max: LIMITED_REMEMBERED_MAX });

  constructor(
    @InjectUrgentPool() private readonly db: Queries,
    private readonly config: AppConfig,
  ) {}

  /**
   * Confirms reservations in one transaction, and returns a verdict on each. Any number of
   * processes may call it with the same reservations, at once and again: a commit whose reply was
   * lost is found. `confirm.sql` explains why its verdict is the truth, whatever Redis believes.
   *
   * The snapshot of the statement is older than the row that won a conflict, so a second statement looks it
   * up. Conflicts are rare: they come from retries, and from a Redis that lost its memory. A reservation that
   * nothing stands in the way of is beyond a limit, or belongs to an activity that turns out to have limits.
   */
  async confirm(reservations: readonly Reservation[]): Promise<ConfirmVerdict[]> {
    const asked = new Set(reservations.filter(({ activityId }) => this.limited.has(activityId)));
    const confirmed = await retryDeadlock(() => this.insert(reservations));
    const verdicts = reservations.map((reservation): ConfirmVerdict | undefined => {
      const row = confirmed.get(keyOf(reservation));
      if (!row) return undefined;
      confirmed.delete(keyOf(reservation));
      return { kind: 'confirmed', packet: packetOf(row), claimId: row.id };
    });

    const refused = reservations.filter((_, i) => verdicts[i] === undefined);
    if (refused.length === 0) return verdicts as ConfirmVerdict[];
    const reasons = await this.lookUp(refused);
    const unasked = refused.filter(
      (reservation) => reasons.get(keyOf(reservation))!.kind === 'limit' && !asked.has(reservation),
    );
    for (const { activityId } of unasked) this.limited.set(activityId, true);
    const counted = unasked.length === 0 ? [] : await this.confirm(unasked);
    const decided = new Map(unasked.map((reservation, i) => [reservation, counted[i]!]));
    return reservations.map(
      (reservation, i) => verdicts[i] ?? decided.get(reservation) ?? reasons.get(keyOf(reservation))!,
    );
  }

  /**
   * Opens every connection of the urgent pool, and makes Postgres plan a confirmation on each: the first on a
   * new connection costs as much as thirty later ones, and a crowd would wait for it.
   */
  async warmUp(): Promise<void> {
    const confirmNothing = () =>
      this.db.query(`select from confirm_all_${confirmFile.version}('{}', '{}', '{}', '{0}', '{0}')`);
    const { DATABASE_POOL_MAX: max } = this.config;
    await Promise.all(Array.from({ length: urgentConnections(max) }, confirmNothing));
  }

  /**
   * Wins that are to be held, and those of activities with limits, have statements of their own. The
   * others: reservations with a journal entry were drawn just now and hardly ever conflict; a user
   * who came again may have been confirmed meanwhile.
   */
  private async insert(reservations: readonly Reservation[]): Promise<Map<string, ConfirmedRow>> {
    const limited = ({ activityId }: Reservation) => this.limited.has(activityId);
    return (
      (await this.insertApart(reservations, limited, 'confirm_limited')) ??
      (await this.insertApart(reservations, ({ hold }) => hold ?? false, 'confirm_held')) ??
      this.insertPlain(reservations)
    );
  }

  /** Undefined if none of these reservations exists. */
  private async insertApart(
    reservations: readonly Reservation[],
    isApart: (reservation: Reservation) => boolean,
    form: 'confirm_held' | 'confirm_limited',
  ): Promise<Map<string, ConfirmedRow> | undefined> {
    const apart = reservations.filter(isApart);
    if (apart.length === 0) return undefined;
    const confirmed = await this.call(form, apart);
    if (apart.length === reservations.length) return confirmed;
    const others = await this.insert(reservations.filter((reservation) => !isApart(reservation)));
    return new Map([...confirmed, ...others]);
  }

  private async insertPlain(reservations: readonly Reservation[]): Promise<Map<string, ConfirmedRow>> {
    if (reservations.every(({ entry }) => entry !== undefined)) {
      try {
        return await this.call('confirm_all', reservations);
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
      }
    }
    return this.call('confirm_free', reservations);
  }

  private async call(
    form: 'confirm_all' | 'confirm_free' | 'confirm_held' | 'confirm_limited',
    reservations: readonly Reservation[],
  ): Promise<Map<string, ConfirmedRow>> {
    const columns: unknown[] = columnsOf(reservations);
    if (form === 'confirm_limited') columns.push(reservations.map(({ hold = false }) => hold));
    const ids = reservations.map(({ activityId }) => activityId);
    const stretches = stretchesOf(ids, this.config.PARTITION_ACTIVITIES);
    const args = [...columns, stretches.map(({ first }) => first), stretches.map(({ last }) => last)];
    const rows: ConfirmedRow[] = await this.db.query(
      `select id, activity_id, packet_no, user_id, amount_minor
         from ${form}_${confirmFile.version}(${args.map((_, i) => `$${i + 1}`).join(', ')})`,
      args,
    );
    return new Map(rows.map((row) => [rowKey(row), row]));
  }

  /**
   * Returns the activities whose rows no transaction keeps locked now. One without a row is
   * included: its reservations are refused. Never waits.
   */
  async lockableActivities(ids: readonly string[]): Promise<Set<string>> {
    const rows: { id: string }[] = await this.db.query(
      `with lockable as (
         select id from activity where id = any($1::bigint[]) for key share skip locked
       )
       select id from unnest($1::bigint[]) as asked (id)
        where id in (select id from lockable) or not exists (select from activity where activity.id = asked.id)`,
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  private async lookUp(reservations: readonly Reservation[]): Promise<Map<string, ConfirmVerdict>> {
    const rows: RefusedRow[] = await this.db.query(
      `select reservation.activity_id, reservation.packet_no, reservation.user_id,
              coalesce(activity.status = 'active', false) as active, activity.limits is not null as limited,
              packet.amount_minor as packet_amount,
              held.packet_no as held_no, held.amount_minor as held_amount, activity.parts,
              case when activity.parts > 1 then held.packet_no % ${dealtOver('held.packet_no')} end as held_part,
              taken.user_id as owner_id
         from unnest($1::bigint[], $2::integer[], $3::text[]) as reservation (activity_id, packet_no, user_id)
         left join activity on activity.id = reservation.activity_id
         left join packet on packet.activity_id = reservation.activity_id and packet.no = reservation.packet_no
                         and packet.activity_id = any($4::bigint[])
         left join claim held on held.activity_id = reservation.activity_id and held.user_id = reservation.user_id
                             and held.activity_id = any($4::bigint[])
         left join claim taken on taken.activity_id = reservation.activity_id and taken.packet_no = reservation.packet_no
                              and taken.activity_id = any($4::bigint[])`,
      [...columnsOf(reservations), activitiesOf(reservations)],
    );
    return new Map(rows.map((row) => [rowKey(row), verdictOf(row)]));
  }

  /**
   * Returns facts in the order of the questions. Each claim is looked up by its key, whatever the
   * planner thinks of their number: otherwise a crowd would cause a scan of all claims.
   */
  async tapFacts(
    questions: readonly { readonly activityId: string; readonly userId: string }[],
  ): Promise<TapFacts[]> {
    const rows = await this.db.query<TapFactsRow[]>(
      `select activity.status, activity.packet_count, archived_at is not null as is_archived,
              claim.packet_no, claim.amount_minor
         from unnest($1::bigint[], $2::text[]) with ordinality as question (activity_id, user_id, position)
         left join activity on activity.id = question.activity_id
         left join lateral (select packet_no, amount_minor from claim
                             where claim.user_id = question.user_id and claim.activity_id = question.activity_id
                               and claim.activity_id = any($3::bigint[])
                             limit 1) as claim on true
        order by position`,
      [
        questions.map(({ activityId }) => activityId),
        questions.map(({ userId }) => userId),
        activitiesOf(questions),
      ],
    );
    return rows.map(tapFactsOf);
  }
}

function verdictOf(row: RefusedRow): ConfirmVerdict {
  if (row.held_no !== null && row.held_amount !== null) {
    const packet = { no: row.held_no, amountMinor: BigInt(row.held_amount) };
    if (row.held_no === row.packet_no) return { kind: 'confirmed', packet };
    return {
      kind: 'holds-other',
      packet,
      reservedIsFree: row.packet_amount !== null && row.owner_id === null,
      ...(row.held_part !== null && { where: { part: row.held_part, parts: row.parts! } }),
    };
  }
  if (row.owner_id !== null && row.packet_amount !== null) {
    const packet = { no: row.packet_no, amountMinor: BigInt(row.packet_amount) };
    return { kind: 'taken', ownerId: row.owner_id, packet };
  }
  if (row.packet_amount === null) return { kind: 'unknown-packet' };
  if (row.active && row.limited) return { kind: 'limit' };
  invariant(
    !row.active,
    () => `Packet ${row.packet_no} of ${row.activity_id} is free, yet its claim was refused.`,
  );
  return { kind: 'closed' };
}

function tapFactsOf({ status, packet_count, is_archived, packet_no, amount_minor }: TapFactsRow): TapFacts {
  return {
    activity:
      status === null || packet_count === null
        ? undefined
        : { status, packetCount: packet_count, isArchived: is_archived },
    packet:
      packet_no === null || amount_minor === null
        ? undefined
        : { no: packet_no, amountMinor: BigInt(amount_minor) },
  };
}

const packetOf = (row: ConfirmedRow): Packet => ({
  no: row.packet_no,
  amountMinor: BigInt(row.amount_minor),
});

const keyOf = ({ activityId, packet, userId }: Reservation): string => `${activityId}/${packet.no}/${userId}`;

const rowKey = (row: ConfirmedRow | RefusedRow): string =>
  `${row.activity_id}/${row.packet_no}/${row.user_id}`;

function columnsOf(reservations: readonly Reservation[]): [string[], number[], string[]] {
  return [
    reservations.map((reservation) => reservation.activityId),
    reservations.map((reservation) => reservation.packet.no),
    reservations.map((reservation) => reservation.userId),
  ];
}

/** Statements name the activities once more, so that planning leaves out all other partitions. */
export const activitiesOf = (rows: readonly { readonly activityId: string }[]): string[] => [
  ...new Set(rows.map(({ activityId }) => activityId)),
];
