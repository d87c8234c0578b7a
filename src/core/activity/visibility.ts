import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { DataSource, type EntityManager } from 'typeorm';
import { Batcher } from '../../../libs/batching';
import { invariant } from '../../../libs/invariant';
import { isStaff } from '../../../libs/roles';
import { busy, type Caller } from '../../platform/http';
import type { Queries } from '../../platform/postgres';
import { PUBLIC } from './activity-terms';
import { noSuchActivity } from './activity.error';

/** The headers of a request, in lower case, including the keys that let its user know of activities. */
export type Keys = Readonly<Record<string, unknown>>;

export interface Viewer {
  readonly caller: Pick<Caller, 'role' | 'userId'>;
  readonly keys: Keys;
}

/** An attempt at a key that can be guessed. */
export interface Attempt {
  /** Undefined if it may be judged at once. Rejects with a Problem if the user has made too many. */
  readonly admission?: Promise<void>;

  /** It was right, or nobody has judged it: it does not count. */
  succeed(): void;

  /** It was wrong, which is not answered before it is counted. Rejects with a Problem if it is one too many. */
  fail(): Promise<void>;
}

/**
 * Decides who may know of activities that are not public. Their sponsors, everyone who holds a packet of them,
 * and staff always may.
 *
 * @example
 * class Guests implements Audiences {
 *   readonly sql = (userId: string) =>
 *     `exists (select from guest where guest.activity_id = activity.id and guest.user_id = ${userId})`;
 *   constructor(visibility: Visibility) {
 *     visibility.register(this);
 *   }
 *   kindFor = (_: Caller, terms?: GuestTerms) => (terms ? 'guests' : 'public');
 *   …
 * }
 */
export interface Audiences {
  /**
   * A condition about `activity`, of constants: true for an insider.
   * @param userId an expression of type `text`; null for someone without a token
   * @param proofs an expression of type `jsonb`: the result of {@link proofsIn}
   */
  sql(this: void, userId: string, proofs: string): string;

  /** Returns what the keys of a viewer prove. */
  proofsIn(keys: Keys): object;

  /**
   * Counts an attempt at a key that can be guessed, whether it names an activity that exists or not.
   * @returns undefined if there was none
   * @throws Problem if the user has made too many
   */
  beginAttempt(userId: string, keys: Keys): Attempt | undefined;

  /**
   * Refuses a key that can be guessed to someone without a token, whatever activity they name: addresses cost nothing,
   * so counting their attempts would stop nobody.
   * @throws Problem
   */
  refuseGuess(keys: Keys): void;

  /**
   * Returns the audience of a new activity.
   * @param terms as `defineAudiences` has declared them; undefined if they were left out
   * @throws Problem `request.invalid` naming a field
   */
  kindFor(caller: Caller, terms: object | undefined): string;

  /** Stores the audience, in the transaction that creates the activity. */
  keep(tx: EntityManager, activityId: string, kind: string, terms: object | undefined): Promise<void>;

  /** Returns the part of the audience that everyone sees who sees the activity. */
  shown(kind: string): object;

  /** The terms of an activity, for its sponsor and staff. */
  termsOf(activityId: string): Promise<object>;
}

const KNOWN_MAX = 10_000;

/** The question of someone without a token. */
type Glance = Pick<Sight, 'activityId' | 'keys'>;

interface Found {
  readonly isPublic: boolean;
}

const STRANGERS_PER_QUERY_MAX = 100;
const STRANGERS_WAITING_MAX = 5_000;

/** A viewer who may or may not know of an activity. */
export interface Sight extends Viewer {
  readonly activityId: string;
}

export interface Seen {
  readonly activityId: string;
  /** It is active, or its end is not yet tidied up in Redis. */
  readonly isUnfinished: boolean;
}

/**
 * Decides who may know of an activity: everyone, unless its audience says otherwise; then an extension
 * decides.
 */
@Injectable()
export class Visibility {
  private audiences?: Audiences;
  /** An audience never changes. */
  private readonly publicIds = new LRUCache<string, true>({ max: KNOWN_MAX });
  /** All requests without a token share one query at a time. */
  private readonly strangers = new Batcher<Glance, Found | undefined>({
    run: (glances) => this.foundBy(glances),
    sizeMax: STRANGERS_PER_QUERY_MAX,
    concurrencyMax: 1,
  });

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  register(audiences: Audiences): void {
    invariant(!this.audiences, 'Audiences are registered twice.');
    this.audiences = audiences;
  }

  /**
   * Runs the same query for an activity that is hidden and for one that does not exist, and does nothing else
   * about either.
   * @throws activityNotFound, what {@link Audiences.beginAttempt} throws
   */
  async require(viewer: Viewer, activityId: string): Promise<void> {
    if (!(await this.sees(viewer, activityId))) throw noSuchActivity(activityId);
  }

  /** @throws what {@link Audiences.beginAttempt} throws */
  async sees({ caller: { role, userId }, keys }: Viewer, activityId: string): Promise<boolean> {
    if (isStaff(role) || this.publicIds.has(activityId)) return true;
    const attempt = this.beginAttempt(userId, keys);
    await attempt?.admission;
    let seen: Found | undefined;
    try {
      [seen] = await this.dataSource.query<Found[]>(
        `select audience = '${PUBLIC}' as "isPublic" from activity where id = $1 and ${this.sql('$2', '$3', 'array[$1::bigint]')}`,
        [activityId, userId, this.proofsIn(keys)],
      );
    } catch (error) {
      attempt?.succeed();
      throw error;
    }
    if (seen) attempt?.succeed();
    else await attempt?.fail();
    if (seen?.isPublic) this.publicIds.set(activityId, true);
    return seen !== undefined;
  }

  /**
   * The same for someone without a token, who sponsors and holds nothing and is not named anywhere, but may have
   * keys that nobody can guess.
   * @throws activityNotFound, busy, what {@link Audiences.refuseGuess} throws
   */
  async requireOfStranger(keys: Keys, activityId: string): Promise<void> {
    this.audiences?.refuseGuess(keys);
    if (this.publicIds.has(activityId)) return;
    if (this.strangers.size >= STRANGERS_WAITING_MAX)
      throw busy('Too many requests without a token are in progress; try again.', { retryAfterSeconds: 1 });
    const found = await this.strangers.submit({ activityId, keys });
    if (!found) throw noSuchActivity(activityId);
    if (found.isPublic) this.publicIds.set(activityId, true);
  }

  /**
   * A null user equals nobody. No table of claims is read, so nobody waits for a partition of an activity that
   * another stranger has named.
   */
  private async foundBy(glances: readonly Glance[]): Promise<(Found | undefined)[]> {
    const rows = await this.dataSource.query<(Found & { glance: number })[]>(
      `select glance.no::integer as glance, audience = '${PUBLIC}' as "isPublic"
         from unnest($1::bigint[], $2::jsonb[]) with ordinality as glance(activity_id, proofs, no)
         join activity on activity.id = glance.activity_id
        where audience = '${PUBLIC}' or ${this.isInsider('null::text', 'glance.proofs')}`,
      [glances.map(({ activityId }) => activityId), glances.map(({ keys }) => this.proofsIn(keys))],
    );
    const byGlance = new Map(rows.map(({ glance, ...found }) => [glance, found]));
    return glances.map((_, i) => byGlance.get(i + 1));
  }

  /** Returns, for each sight, the activity if its viewer sees it. The caller counts the attempts. */
  async seenBy(sights: readonly Sight[]): Promise<(Seen | undefined)[]> {
    const rows = await this.dataSource.query<(Seen & { sight: number })[]>(
      `select sight.no::integer as sight, activity.id as "activityId", tidied_at is null as "isUnfinished"
         from unnest($1::bigint[], $2::text[], $3::boolean[], $4::jsonb[])
              with ordinality as sight(activity_id, user_id, is_staff, proofs, no)
         join activity on activity.id = sight.activity_id
        where sight.is_staff or ${this.sql('sight.user_id', 'sight.proofs', '$1::bigint[]')}`,
      [
        sights.map(({ activityId }) => activityId),
        sights.map(({ caller }) => caller.userId),
        sights.map(({ caller }) => isStaff(caller.role)),
        sights.map(({ keys }) => this.proofsIn(keys)),
      ],
    );
    const bySight = new Map(rows.map(({ sight, ...seen }) => [sight, seen]));
    return sights.map((_, i) => bySight.get(i + 1));
  }

  /** Returns the questions whose user holds a packet of the activity, which may not exist. */
  async holdersAmong<T extends { readonly activityId: string; readonly userId: string }>(
    questions: readonly T[],
    db: Queries,
  ): Promise<ReadonlySet<T>> {
    if (questions.length === 0) return new Set();
    const rows = await db.query<{ no: number }[]>(
      `select asked.no::integer as no
         from unnest($1::bigint[], $2::text[]) with ordinality as asked(activity_id, user_id, no)
        where ${isHolder('asked.activity_id', 'asked.user_id', '$1::bigint[]')}`,
      [questions.map(({ activityId }) => activityId), questions.map(({ userId }) => userId)],
    );
    return new Set(rows.map(({ no }) => questions[no - 1]!));
  }

  beginAttempt(userId: string, keys: Keys): Attempt | undefined {
    return this.audiences?.beginAttempt(userId, keys);
  }

  /** Returns `public` in a program without audiences. */
  kindFor(caller: Caller, terms: object | undefined): string {
    return this.audiences?.kindFor(caller, terms) ?? PUBLIC;
  }

  async keep(tx: EntityManager, activityId: string, kind: string, terms: object | undefined): Promise<void> {
    if (kind !== PUBLIC) await this.audiences!.keep(tx, activityId, kind, terms);
  }

  shown(kind: string): object | undefined {
    return kind === PUBLIC ? undefined : this.audiences?.shown(kind);
  }

  async termsOf(activityId: string, kind: string): Promise<object | undefined> {
    return kind === PUBLIC ? undefined : this.audiences?.termsOf(activityId);
  }

  private proofsIn(keys: Keys): string {
    return JSON.stringify(this.audiences?.proofsIn(keys) ?? {});
  }

  /** A program that does not know an audience shows its activities to nobody else. */
  private sql(userId: string, proofs: string, ids: string): string {
    return `(activity.audience = '${PUBLIC}' or activity.sponsor_id = ${userId}::text
      or ${isHolder('activity.id', `${userId}::text`, ids)}
      or ${this.isInsider(`${userId}::text`, proofs)})`;
  }

  private isInsider(userId: string, proofs: string): string {
    return this.audiences?.sql(userId, `${proofs}::jsonb`) ?? `${proofs}::jsonb is null`;
  }
}

/** Names all activities of the statement, so that only their partitions are locked. */
const isHolder = (activityId: string, userId: string, ids: string): string =>
  `exists (select from claim
     where claim.activity_id = ${activityId} and claim.user_id = ${userId} and claim.activity_id = any(${ids}))`;
