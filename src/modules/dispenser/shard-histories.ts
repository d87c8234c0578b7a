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

/** How far a shard may be believed at one moment. */
export interface Trust {
  readonly notes: ShardNotes;
  /** Undefined while Postgres is away, or recovers. */
  readonly mark?: PostgresMark;
  /** The shard was told the history that Postgres has: a claim that is marked as confirmed there is in Postgres. */
  readonly isSameHistory: boolean;
}

/** It may lack what Postgres has, or remember what Postgres has lost, until it has been told all claims. */
export const isDoubted = ({ notes, isSameHistory }: Trust): boolean => !(notes.isTrusted && isSameHistory);

/**
 * Compares what each shard was told with what Postgres knows. Redis is told by confirmations, after the commit, and notes how
 * far Postgres had come. Should Postgres come back in another history, or less far in the same one, then it has lost commits
 * that Redis still remembers.
 */
@Injectable()
export class ShardHistories {
  private lastMark?: PostgresMark;

  constructor(
    private readonly trust: ShardTrust,
    private readonly own: OwnRedis,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** Whether Redis belongs to another installation. */
  get isOfOthers(): boolean {
    return this.own.isForeign;
  }

  /**
   * Of all shards that answer. Redis is asked first: what it has noted by then, Postgres had reached before. While Postgres
   * does not answer, the result is what it was when Postgres last did.
   *
   * @throws when no shard answers
   */
  async look(): Promise<Trust[]> {
    const notes = await this.trust.notes();
    const mark = await this.postgresMark();
    return notes.map((of) => this.judge(of, mark));
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
   * Whether a shard of an activity remembers commits that Postgres lacks, asked at this moment. Over the connection of a
   * transaction it holds for what that transaction commits: another Postgres would have another connection.
   */
  async isAhead(activity: Dealt, db: Queries = this.dataSource): Promise<boolean> {
    const places = this.own.keys.placesOf(activity);
    const notes = await Promise.all(places.map(({ shard }) => this.trust.notesOf(shard)));
    const mark = await historyMark(db);
    return notes.some(({ mark: noted }) => noted !== undefined && !(mark && includes(mark, noted)));
  }

  /** Notes how far Postgres has come, in the shards that were told this history. */
  async raise(trusts: readonly Trust[]): Promise<void> {
    await Promise.all(
      trusts.map(async ({ notes, mark, isSameHistory }) => {
        if (mark && isSameHistory && mark.flushed !== notes.mark!.flushed)
          await this.trust.raiseMark(notes.shard, mark);
      }),
    );
  }

  /**
   * To be called when these shards have been told everything, with what was known before that. Returns those for which it now
   * stands: where Postgres has changed meanwhile, all has to be told again.
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

const includes = (mark: PostgresMark, earlier: PostgresMark | undefined): boolean =>
  earlier !== undefined && mark.history === earlier.history && mark.flushed >= earlier.flushed;
