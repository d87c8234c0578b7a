import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Caller } from '../../../platform/http';
import { ChannelRepository } from '../channel/channel.repository';
import { channelNotFound } from '../channel/channel.error';
import { statementDayOpen, statementTooWrong } from './statement.error';
import type { StatementResult } from './statement.dto';
import { type Statement, StatementJudge } from './statement-judge';
import { readStatement, type StatementFormat } from './statement-lines';
import { StatementRepository } from './statement.repository';

const LINES_AT_ONCE = 5_000;
const FOUND_MAX = 10_000;
const MISSING_AT_ONCE = 5_000;
const HOUR_MS = 3_600_000;

/** Takes the file of a day of a channel. */
@Injectable()
export class StatementService {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly statements: StatementRepository,
    private readonly judge: StatementJudge,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /**
   * A file that breaks off has had its effect so far, and is handed in again: each line has it once.
   * @throws channelNotFound, statementDayOpen, statementMalformed, statementTooWrong, statementSuperseded
   */
  async take(
    { userId, channelId: own }: Caller,
    channelId: string,
    day: string,
    format: StatementFormat,
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<StatementResult> {
    const channel = own === channelId ? await this.channels.findChannel(channelId) : null;
    if (!channel) throw channelNotFound(`There is no payout channel ${channelId}.`);
    const id = await this.statements.begin(channelId, day, userId);
    if (id === undefined) throw statementDayOpen(`The day ${day} is not over (UTC).`);
    const statement = { id, channelId, day, handedInBy: userId, isCalled: channel.url !== null };
    const hash = createHash('sha256');
    const result = await this.judgeAll(statement, format, hashed(bytes, hash));
    result.found += await this.findMissing(statement);
    return this.dataSource.transaction(async (tx) => {
      await this.statements.lockNewest(tx, statement);
      return this.statements.complete(tx, id, hash.digest(), result);
    });
  }

  private async judgeAll(statement: Statement, format: StatementFormat, bytes: AsyncIterable<Uint8Array>) {
    const sum = { statementId: statement.id, lines: 0, equal: 0, posted: 0, found: 0, ended: 0 };
    for await (const batch of readStatement(bytes, format, LINES_AT_ONCE)) {
      const { equal, posted, found, ended } = await this.judge.judge(statement, batch);
      sum.lines += batch.lines.length + batch.foreign.length;
      sum.equal += equal;
      sum.posted += posted;
      sum.found += found;
      sum.ended += ended;
      if (sum.found > FOUND_MAX)
        throw statementTooWrong(`More than ${FOUND_MAX} lines differ: is it a file of this channel?`);
    }
    return sum;
  }

  /** Payments before this day are in this file at the latest, because clocks may differ. */
  private async findMissing(statement: Statement): Promise<number> {
    const { channelId, day } = statement;
    const before = await this.statements.dayBefore(channelId, day);
    if (before === undefined) return 0;
    let found = 0;
    for (let ms = Date.parse(before); ms < Date.parse(day); ms += HOUR_MS) {
      const [from, to] = [new Date(ms), new Date(ms + HOUR_MS)];
      for (;;) {
        const count = await this.statements.findMissing(statement, from, to, MISSING_AT_ONCE);
        found += count;
        if (count < MISSING_AT_ONCE) break;
      }
    }
    return found;
  }
}

async function* hashed(
  bytes: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}
