import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { OwnRedis, type PostgresMark, type ServerNotes, ServerTrust } from '../../../libs/redis-scripts';
import { historyMark, type Queries } from '../../platform/postgres';

/** How far Redis may be believed at one moment. */
export interface Trust {
  readonly notes: ServerNotes;
  /** Undefined while Postgres is away, or recovers. */
  readonly mark?: PostgresMark;
  /** Redis was told the history that Postgres has: a claim that is marked as confirmed there is in Postgres. */
  readonly isSameHistory: boolean;
}

/**
 * Compares what Redis was told with what Postgres knows. Redis is told by confirmations, after the commit, and notes how far
 * Postgres had come. Should Postgres come back in another history, or less far in the same one, then it has lost commits
 * that Redis still remembers.
 */
@Injectable()
export class RedisTrust {
  private lastMark?: PostgresMark;

  constructor(
    private readonly trust: ServerTrust,
    private readonly own: OwnRedis,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** Whether Redis belongs to another installation. */
  get isOfOthers(): boolean {
    return this.own.isForeign;
  }

  /**
   * Redis is asked first: what it has noted by then, Postgres had reached before. While Postgres does not answer, the
   * result is what it was when Postgres last did.
   */
  async look(): Promise<Trust> {
    const notes = await this.trust.notes();
    const mark = await this.postgresMark();
    const isSameHistory = mark ? includes(mark, notes.mark) : this.wasSame(notes.mark);
    if (mark) this.own.isAhead = notes.mark !== undefined && !isSameHistory;
    return { notes, mark, isSameHistory };
  }

  /**
   * Whether Redis remembers commits that Postgres lacks, asked at this moment. Over the connection of a transaction it holds
   * for what that transaction commits: another Postgres would have another connection.
   */
  async isAhead(db: Queries = this.dataSource): Promise<boolean> {
    const { mark: noted } = await this.trust.notes();
    const mark = await historyMark(db);
    return noted !== undefined && !(mark && includes(mark, noted));
  }

  /** Notes how far Postgres has come, if Redis was told this history. */
  async raise({ notes, mark, isSameHistory }: Trust): Promise<void> {
    if (mark && isSameHistory && mark.flushed !== notes.mark!.flushed) await this.trust.raiseMark(mark);
  }

  /**
   * To be called when the server has been told everything, with what was known before that. Returns false when Postgres has
   * changed meanwhile: then all has to be told again.
   */
  async vouch({ notes, mark }: Trust): Promise<boolean> {
    const now = await historyMark(this.dataSource);
    if (!now || !includes(now, mark)) return false;
    await this.trust.grant(notes.serverId, now);
    return true;
  }

  private async postgresMark(): Promise<PostgresMark | undefined> {
    const mark = await historyMark(this.dataSource).catch(() => undefined);
    if (mark) this.lastMark = mark;
    return mark;
  }

  private wasSame(noted: PostgresMark | undefined): boolean {
    return !this.own.isAhead && noted !== undefined && noted.history === this.lastMark?.history;
  }
}

const includes = (mark: PostgresMark, earlier: PostgresMark | undefined): boolean =>
  earlier !== undefined && mark.history === earlier.history && mark.flushed >= earlier.flushed;
