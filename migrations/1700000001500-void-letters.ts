import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A claim that an operator declares void is never paid. Its letter is `void` for good, because its
 * money has moved: back to the sponsor and, while the activity goes on, from there into a packet of
 * the same amount. That packet is a top-up that names the claim.
 *
 * This and the next migrations change a table each, in a transaction each. A transaction that
 * locked several of them at once could deadlock with settlement and proof, which read them in other
 * orders.
 */
export class VoidLetters1700000001500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table dead_letter
        drop constraint dead_letter_status_known,
        drop constraint dead_letter_resolution_written,
        add constraint dead_letter_status_known check (status in ('open', 'replayed', 'resolved', 'void')),
        add constraint dead_letter_resolution_written
          check ((status in ('resolved', 'void')) = (resolution is not null));

      create trigger void_is_final before update on dead_letter
      for each row when (old.status = 'void') execute function refuse_change();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger void_is_final on dead_letter;
      alter table dead_letter
        drop constraint dead_letter_status_known,
        drop constraint dead_letter_resolution_written,
        add constraint dead_letter_status_known check (status in ('open', 'replayed', 'resolved')),
        add constraint dead_letter_resolution_written check ((status = 'resolved') = (resolution is not null));
    `);
  }
}
