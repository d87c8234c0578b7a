import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * Commitments to packets, published before the packets can be drawn. The batches of a sponsor are a
 * chain: one place is given once, so no database can hold two chains. Packets that a former release
 * drew have no row here. `upper_rows` is read a hash at a time, so it is not compressed.
 */
export class CreatePacketBatch1796150000000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table packet_batch (
        activity_id bigint  not null,
        batch_no    integer not null,
        first_no    integer not null,
        sponsor_id  text    not null,
        place       integer not null,
        terms       text    not null,
        commitment  bytea   not null,
        root        bytea   not null,
        upper_rows  bytea   not null,
        constraint packet_batch_pkey primary key (activity_id, batch_no),
        constraint packet_batch_packets_once unique (activity_id, first_no),
        constraint packet_batch_place_once unique (sponsor_id, place),
        constraint packet_batch_place_counted check (place >= 0 and batch_no >= 0),
        constraint packet_batch_hashed check (octet_length(commitment) = 32 and octet_length(root) = 32)
      );
      alter table packet_batch alter column upper_rows set storage external;
      create trigger append_only before update or delete or truncate on packet_batch
      for each statement execute function refuse_change()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table packet_batch`);
  }
}
