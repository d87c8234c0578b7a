import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { ID } from '../../platform/postgres';

export type Facts = object;

@Entity('audit_log')
export class AuditRow {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: string;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly at!: Date;

  @Column('text', { name: 'actor_id' })
  readonly actorId!: string;

  /** The server that acted for the actor (`Act-For`); null when the actor acted directly. */
  @Column('text', { nullable: true })
  readonly via!: string | null;

  @Column('text')
  readonly action!: string;

  @Column('text')
  readonly subject!: string;

  @Column('jsonb')
  readonly before!: Facts;

  @Column('jsonb')
  readonly after!: Facts;

  @Column('jsonb')
  readonly detail!: Facts;
}
