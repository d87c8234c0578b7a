import { Column, CreateDateColumn, DeleteDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { ID } from '../../../platform/postgres';

/** The protocols that receivers of channels speak. */
export type ProtocolName = 'signed-json';

/** Amounts are text, as clients see them. */
export interface ChannelProfile {
  readonly smallest: string;
  readonly largest?: string;
  readonly perUserPerDay?: string;
  readonly perDay?: string;
  /** Bodies do not name it as long as there is only one. */
  readonly protocol?: ProtocolName;
  /** The fields from here to `timeoutMs` matter to a channel with a URL. They have defaults. */
  readonly perSecond?: number;
  readonly inFlight?: number;
  readonly keyLifetimeSeconds?: number;
  readonly quarantineSeconds?: number;
  readonly timeoutMs?: number;
  /** How long a credit waits to be combined with others of the same user. */
  readonly gatherSeconds?: number;
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

  /** Null: its back end reads what waits, and reports. */
  @Column('text', { nullable: true })
  readonly url!: string | null;

  /** Signs what is sent to the URL. Stored as receivers know it: `whsec_` and base64. */
  @Column('text', { nullable: true })
  readonly secret!: string | null;

  /** Signs as well until `formerSecretUntil`. */
  @Column('text', { name: 'former_secret', nullable: true })
  readonly formerSecret!: string | null;

  @Column('timestamptz', { name: 'former_secret_until', nullable: true })
  readonly formerSecretUntil!: Date | null;

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
