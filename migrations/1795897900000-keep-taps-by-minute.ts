import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * What people want to know about a rain afterwards, and Redis forgets after a day: its taps by minute and answer, and
 * their response times (`times`, by bucket). All programs add to a row. It is deleted after a while or when its activity
 * is archived. Nothing depends on it.
 */
export class KeepTapsByMinute1795897900000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table tap_minute (
        activity_id bigint      not null,
        minute      timestamptz not null,
        won         integer     not null,
        already     integer     not null,
        reserved    integer     not null,
        sold_out    integer     not null,
        limited     integer     not null,
        not_open    integer     not null,
        not_yet     integer     not null,
        closed      integer     not null,
        unavailable integer     not null,
        times       integer[]   not null,
        constraint tap_minute_pkey primary key (activity_id, minute)
      )`);
    await runner.query(`create index tap_minute_by_minute on tap_minute (minute)`);
  }
}
