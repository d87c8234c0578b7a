import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { ID, MINOR } from '../../../platform/postgres';
import type { PayoutState } from './payout-state';

@Entity('payout')
export class PayoutRow {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: string;

  @Column('bigint', { name: 'channel_id' })
  readonly channelId!: string;

  @Column('text', { name: 'user_id' })
  readonly userId!: string;

  @Column('bigint', { name: 'wallet_account_id' })
  readonly walletAccountId!: string;

  @Column({ name: 'amount_minor', ...MINOR })
  readonly amountMinor!: bigint;

  @Column('text')
  readonly state!: PayoutState;

  /** It counts towards the limits of this day. */
  @Column('date')
  readonly day!: string;

  /** For a payout of a rain: the number of wins that it combines. */
  @Column('integer', { nullable: true })
  readonly claims!: number | null;

  /** The channel is asked under this number. It rises where the channel may know the id of another payout. */
  @Column('integer')
  readonly attempt!: number;

  /** The number of the last call to the channel. */
  @Column('integer', { default: 0 })
  readonly calls!: number;

  /** Null until it is sent, or read by its channel, and when the channel has not taken it. */
  @Column('timestamptz', { name: 'last_sent_at', nullable: true })
  readonly lastSentAt!: Date | null;

  /** The name of the payment at the channel. */
  @Column('text', { name: 'external_id', nullable: true })
  readonly externalId!: string | null;

  @Column('text', { nullable: true })
  readonly code!: string | null;

  /** What the channel wants the user to do. */
  @Column('text', { nullable: true })
  readonly action!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  readonly createdAt!: Date;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  readonly endedAt!: Date | null;
}

/** Steps are only ever added. */
@Entity('payout_event')
export class PayoutEventRow {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: string;

  @Column('bigint', { name: 'payout_id' })
  readonly payoutId!: string;

  @CreateDateColumn({ type: 'timestamptz', default: () => 'clock_timestamp()' })
  readonly at!: Date;

  @Column('text')
  readonly state!: PayoutState;

  @Column('jsonb')
  readonly detail!: object;
}
