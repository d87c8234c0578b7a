import type { MigrationInterface } from 'typeorm';

/**
 * A step from one schema to the next. docs/upgrading.md says what it may do while older programs go
 * on running.
 */
export interface Migration extends MigrationInterface {
  /**
   * The name of the oldest migration whose programs this one serves: they go on running, and may
   * start again. With its own name, or none, all programs that do not know it have to be stopped
   * first.
   */
  readonly serves?: string;
}

export type MigrationClass = new () => Migration;

/** The name of a migration ends in the moment of its making, in epoch milliseconds. */
export const timestampOf = (name: string): number => Number(name.slice(-13));
