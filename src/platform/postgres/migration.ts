import type { QueryRunner } from 'typeorm';

/** docs/upgrading.md says what a migration may do while older programs run. */
export interface Migration {
  /**
   * The oldest migration whose programs this one serves. With its own name, or none, all programs
   * that do not know it have to be stopped first.
   */
  readonly serves?: string;
  /** false: it runs outside of a transaction, for statements that no other queues after. */
  readonly transaction?: boolean;
  up(runner: QueryRunner): Promise<void>;
}

export type MigrationClass = new () => Migration;

/** Names end in the moment of their making, in epoch milliseconds. */
export const timestampOf = (name: string): number => Number(name.slice(-13));
