import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** A channel with a URL is called; without one, its back end reads what waits. */
export class LetChannelsPush1795800000000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table payout_channel
        add column url text,
        add column secret text,
        add column former_secret text,
        add column former_secret_until timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table payout_channel
        drop column url, drop column secret, drop column former_secret, drop column former_secret_until`);
  }
}
