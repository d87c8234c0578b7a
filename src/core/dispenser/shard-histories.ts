import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import {
  type Dealt,
  OwnRedis,
  type PostgresMark,
  type ShardNotes,
  ShardTrust,
} from '../../../libs/redis-scripts';
import { historyMark, type Queries } from '../../platform/postgres';

export interface Trust {
  readonly notes: ShardNotes;
  /** Undefined while Postgres is down, or recovers. */
  readonly mark?: PostgresMark;
  /** A claim that is marked as confirmed in the shard is in Postgres. */
  readonly isSameHistory: boolean;
}

/** A doubted shard may lack what Postgres has, or remember what Postgres has lost. */
export const isDoubted = ({ notes, isSameHistory }: Trust): boolean => !(notes.isTrusted && isSameHistory);

/**
 * Compares the history that each shard was given with that of Postgres. Confirmations write to
 * Redis after the commit, and note how far Postgres had advanced. If Postgres comes back with another
 * history, or less advanced in the same one, it has lost commits that Redis still remembers.
 */
@Injectable()
export class ShardHistories {
  private lastMark?: PostgresMark;

  constructor(
    private readonly trust: ShardTrust,
    private readonly own: OwnRedis,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  get isOfOthers(): boolean {
    return this.own.isForeign;
  }

  /**
   * Returns the trust in all shards that answer. Redis is read first, so Postgres has reached every
   * position that Redis has noted. While Postgres does not answer, its last answer counts.
   *
   * @throws if no shard answers
   */
  async judgeShards(): Promise<Trust[]> {
    const known = await this.trust.notes();
    const current = await this.postgresMark();
    const trusts = known.map((of) => this.judge(of, current));
    await Promise.all(
      trusts.filter(hasGoneBack).map(({ notes, mark }) => this.trust.markLost(notes.shard, mark!)),
    );
    return trusts;
  }

  private judge(notes: ShardNotes, mark: PostgresMark | undefined): Trust {
    const isSameHistory = mark ? includes(mark, notes.mark) : this.wasSame(notes);
    if (mark) this.noteAhead(notes.shard, notes.mark !== undefined && !isSameHistory);
    return { notes, mark, isSameHistory };
  }

  private noteAhead(shard: number, isAhead: boolean): void {
    if (isAhead) this.own.ahead.add(shard);
    else this.own.ahead.delete(shard);
  }

  /**
   * True if a shard of any of these activities remembers commits that Postgres lacks now. On the
   * connection of a transaction, this holds for its commit: another Postgres would have another
   * connection.
   */
  async areAhead(activities: readonly Dealt[], db: Queries = this.dataSource): Promise<boolean> {
    const places = activities.flatMap((activity) => this.own.keys.placesOf(activity));
    const shards = new Set(places.map(({ shard }) => shard));
    const notes = await Promise.all(Array.from(shards, (shard) => this.trust.notesOf(shard)));
    const mark = await historyMark(db);
    return notes.some(({ mark: noted }) => noted !== undefined && !(mark && includes(mark, noted)));
  }

  /** Notes how far Postgres has advanced, in the shards that have its history. */
  async raise(trusts: readonly Trust[]): Promise<void> {
    await Promise.all(
      trusts.map(async ({ notes, mark, isSameHistory }) => {
        if (mark && isSameHistory && mark.flushed !== notes.mark!.flushed)
          await this.trust.raiseMark(notes.shard, mark);
      }),
    );
  }

  /**
   * Trusts shards that have received everything; `trusts` is what was known before that. Returns
   * those that are trusted now: after a change of Postgres, a shard must receive everything again.
   */
  async vouch(trusts: readonly Trust[]): Promise<Trust[]> {
    const now = await historyMark(this.dataSource);
    if (!now) return [];
    const told = trusts.filter(({ mark }) => includes(now, mark));
    await Promise.all(told.map(({ notes }) => this.trust.grant(notes.shard, notes.serverId, now)));
    return told;
  }

  private async postgresMark(): Promise<PostgresMark | undefined> {
    const mark = await historyMark(this.dataSource).catch(() => undefined);
    if (mark) this.lastMark = mark;
    return mark;
  }

  private wasSame({ shard, mark: noted }: ShardNotes): boolean {
    return !this.own.ahead.has(shard) && noted !== undefined && noted.history === this.lastMark?.history;
  }
}

/** Its history is that of the shard, but ends earlier. */
const hasGoneBack = ({ notes, mark, isSameHistory }: Trust): boolean =>
  mark !== undefined && !isSameHistory && notes.mark?.history === mark.history;

const includes = (mark: PostgresMark, earlier: PostgresMark | undefined): boolean =>
  earlier !== undefined && mark.history === earlier.history && mark.flushed >= earlier.flushed;
