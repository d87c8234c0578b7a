import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A claim that an operator declares void is never paid: its money goes back to the sponsor, and while the activity goes
 * on it pays at once for a packet of the same amount, which is a top-up that names the claim it replaces.
 *
 * The rule about kinds of transfers grows again; what it is checked against is every row of the ledger, once.
 */
export class VoidClaims1700000001500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table dead_letter
        drop constraint dead_letter_status_known,
        drop constraint dead_letter_resolution_written,
        add constraint dead_letter_status_known check (status in ('open', 'replayed', 'resolved', 'void')),
        add constraint dead_letter_resolution_written
          check ((status in ('resolved', 'void')) = (resolution is not null));

      alter table top_up
        add column replaces_claim_id bigint,
        add constraint top_up_replaces_once unique (replaces_claim_id),
        add constraint top_up_replaces_one check (replaces_claim_id is null or packet_count = 1);

      alter table transfer
        drop constraint transfer_kind_known,
        add constraint transfer_kind_known
          check (kind in ('deposit', 'fund', 'top-up', 'credit', 'void', 'refund'));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table transfer
        drop constraint transfer_kind_known,
        add constraint transfer_kind_known check (kind in ('deposit', 'fund', 'top-up', 'credit', 'refund'));

      alter table top_up drop column replaces_claim_id;

      alter table dead_letter
        drop constraint dead_letter_status_known,
        drop constraint dead_letter_resolution_written,
        add constraint dead_letter_status_known check (status in ('open', 'replayed', 'resolved')),
        add constraint dead_letter_resolution_written check ((status = 'resolved') = (resolution is not null));
    `);
  }
}
