import type { QueryRunner } from 'typeorm';
import type { Migration, MigrationClass, Schema } from '../../src/platform/postgres';

export interface Plan {
  readonly name: string;
  readonly serves?: string;
  readonly transaction?: boolean;
  readonly statements: readonly string[];
  /** Anything else to do in the same transaction. */
  readonly then?: () => Promise<void>;
}

/** A schema of nothing but migrations. */
export function bareSchema(migrations: readonly MigrationClass[]): Schema {
  return { migrations, grants: {}, functions: [], people: {}, underWay: [], lastMoved: [] };
}

/** A migration that exists only in tests. */
export function plantedMigration({ name, serves, transaction, statements, then }: Plan): MigrationClass {
  const named = {
    [name]: class implements Migration {
      readonly serves = serves;
      readonly transaction = transaction;

      async up(runner: QueryRunner): Promise<void> {
        for (const statement of statements) await runner.query(statement);
        await then?.();
      }
    },
  };
  return named[name]!;
}
