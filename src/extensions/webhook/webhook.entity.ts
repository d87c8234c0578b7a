import { Column, CreateDateColumn, DeleteDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { ID } from '../../platform/postgres';

/** A deleted webhook is found only with `withDeleted`. */
@Entity('webhook')
export class WebhookRow {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: string;

  @Column('text')
  readonly url!: string;

  @Column('text', { array: true })
  readonly events!: string[];

  @Column('text', { nullable: true })
  readonly description!: string | null;

  @Column('text', { nullable: true })
  readonly secret!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  readonly createdAt!: Date;

  @DeleteDateColumn({ name: 'deleted_at', type: 'timestamptz' })
  readonly deletedAt!: Date | null;
}
