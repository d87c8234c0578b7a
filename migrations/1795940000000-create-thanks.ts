import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * The thanks of winners to the senders of their packets, once for each packet. The writer is the winner of the
 * packet. As a person wrote the text, it stays when the packets of an activity are archived.
 */
export class CreateThanks1795940000000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table thanks (
        activity_id bigint      not null,
        packet_no   integer     not null,
        text        text        not null,
        thanked_at  timestamptz not null default now(),
        constraint thanks_pkey primary key (activity_id, packet_no),
        constraint thanks_text_bounded check (char_length(text) between 1 and 60)
      )`);
  }
}
