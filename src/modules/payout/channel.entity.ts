import { Column, CreateDateColumn, DeleteDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { ID } from '../../platform/postgres';

/** Amounts are text, as clients see them. */
export interface ChannelProfile {
  readonly smallest: string;
  readonly largest?: string;
  readonly perUserPerDay?: string;
  /** The IANA name of the zone in which its days begin. */
  readonly timeZone: string;
}

/** An outside balance system. A deleted channel is found only with `withDeleted`. */
@Entity('payout_channel')
export class ChannelRow {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: string;

  @Column('text')
  readonly name!: string;

  @Column('jsonb')
  readonly profile!: ChannelProfile;

  @Column('boolean', { name: 'is_paused' })
  readonly isPaused!: boolean;

  /** Payouts that have not ended are in this account. */
  @Column('bigint', { name: 'outbound_account_id' })
  readonly outboundAccountId!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  readonly createdAt!: Date;

  @DeleteDateColumn({ name: 'deleted_at', type: 'timestamptz' })
  readonly deletedAt!: Date | null;
}
