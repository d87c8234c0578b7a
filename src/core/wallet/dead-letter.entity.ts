import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';
import { ID, MINOR } from '../../platform/postgres';

export type DeadLetterStatus = 'open' | 'replayed' | 'resolved' | 'void';

/** `held`: a win that staff review before it is paid. Settlement has not tried it. */
export const DEAD_LETTER_REASONS = ['wallet_frozen', 'settlement_failed', 'held'] as const;

export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number];

@Entity('dead_letter')
export class DeadLetterRow {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: string;

  @Column('bigint', { name: 'claim_id' })
  readonly claimId!: string;

  @Column('bigint', { name: 'activity_id' })
  readonly activityId!: string;

  @Column('text', { name: 'user_id' })
  readonly userId!: string;

  @Column({ name: 'amount_minor', ...MINOR })
  readonly amountMinor!: bigint;

  @Column('text')
  readonly reason!: DeadLetterReason;

  /** For a held claim, the reason why staff hold it; null if its ticket asks for the hold. */
  @Column('text', { name: 'last_error', nullable: true })
  readonly lastError!: string | null;

  @Column('integer')
  readonly attempts!: number;

  @Column('text')
  readonly status!: DeadLetterStatus;

  @Column('text', { nullable: true })
  readonly resolution!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  readonly createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  readonly updatedAt!: Date;
}
