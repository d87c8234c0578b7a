import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * How rehearsals went, by a hash of their terms: the pre-flight of a real activity with the same terms names the newest
 * report. A report is a measurement, so it never changes. Nothing depends on it.
 */
export class KeepRehearsalReports1795920000000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table rehearsal_report (
        id              bigint           generated always as identity,
        activity_id     bigint           not null,
        terms_hash      bytea            not null,
        reported_by     text             not null,
        reported_at     timestamptz      not null default now(),
        taps            integer          not null,
        seconds         integer          not null,
        taps_per_second integer          not null,
        answers         jsonb            not null,
        p50_ms          integer not null,
        p99_ms          integer not null,
        broke_first     text,
        constraint rehearsal_report_pkey primary key (id)
      )`);
    await runner.query(`create index rehearsal_report_by_terms on rehearsal_report (terms_hash, id)`);
  }
}
