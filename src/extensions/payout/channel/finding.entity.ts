import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { ID } from '../../../platform/postgres';

/** A disagreement between our books and a channel's, which someone has to end. */
@Entity('payout_finding')
export class FindingRow {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: string;

  @Column('bigint', { name: 'channel_id' })
  readonly channelId!: string;

  /** Null for an id that was never sent, and for calls that are lost. */
  @Column('bigint', { name: 'payout_id', nullable: true })
  readonly payoutId!: string | null;

  /** `<state of the payout>-but-<reported state>`, or a name of its own. */
  @Column('text')
  readonly kind!: string;

  @Column('jsonb')
  readonly detail!: object;

  /** The file that it comes from. */
  @Column('bigint', { name: 'statement_id', nullable: true })
  readonly statementId!: string | null;

  @CreateDateColumn({ name: 'found_at', type: 'timestamptz' })
  readonly foundAt!: Date;

  /** The person in charge of it. */
  @Column('text', { nullable: true })
  readonly owner!: string | null;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  readonly endedAt!: Date | null;

  @Column('text', { name: 'ended_by', nullable: true })
  readonly endedBy!: string | null;

  @Column('text', { nullable: true })
  readonly resolution!: string | null;
}
