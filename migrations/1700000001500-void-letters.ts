import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A claim that an operator declares void is never paid (decision 21). Its letter stays `void`; a
 * top-up that names the claim replaces its packet.
 *
 * This and the next migrations change one table each: a transaction that locked several could
 * deadlock with settlement and proof.
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
