import { Column, CreateDateColumn, DeleteDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { ID } from '../../platform/postgres';

/** Signs the tickets of a sponsor. A deleted key is found only with `withDeleted`. */
@Entity('ticket_key')
export class TicketKeyRow {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: string;

  @Column('text', { name: 'sponsor_id' })
  readonly sponsorId!: string;

  /** As for webhooks: `whsec_` and base64. */
  @Column('text', { nullable: true })
  readonly secret!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  readonly createdAt!: Date;

  @DeleteDateColumn({ name: 'deleted_at', type: 'timestamptz' })
  readonly deletedAt!: Date | null;
}
