import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * The audience of an activity that is not public: those who have its share code, are named, or know its password.
 * Only the share code changes.
 */
export class CreateAudiences1795930020000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table activity_audience (
        activity_id     bigint not null,
        kind            text   not null,
        share_code      text,
        user_ids        text[],
        password        text,
        password_digest text,
        rotated_at      timestamptz,
        constraint activity_audience_pkey primary key (activity_id),
        constraint activity_audience_of_its_kind check (
          case kind
            when 'link' then share_code is not null and num_nulls(user_ids, password, password_digest) = 3
            when 'people' then cardinality(user_ids) between 1 and 500
                               and num_nulls(share_code, password, password_digest) = 3
            when 'password' then num_nulls(password, password_digest) = 0 and num_nulls(share_code, user_ids) = 2
            else false
          end)
      )`);
  }
}
