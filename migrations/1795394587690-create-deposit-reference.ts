import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The name of a deposit outside the system, by which finance finds it again. Few deposits have one,
 * so it is no column of the ledger. A row is written with its transfer and never changed.
 */
export class CreateDepositReference1795394587690 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table deposit_reference (
        transfer_id bigint not null,
        reference   text   not null,
        constraint deposit_reference_pkey primary key (transfer_id),
        constraint deposit_reference_bounded check (char_length(reference) between 1 and 140)
      );
      create trigger append_only before update or delete or truncate on deposit_reference
      for each statement execute function refuse_change();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table deposit_reference;`);
  }
}
