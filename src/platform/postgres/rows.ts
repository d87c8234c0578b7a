import type { ColumnOptions } from 'typeorm';

/** A key that the database numbers. Ids are strings. */
export const ID = { type: 'bigint', generatedIdentity: 'ALWAYS' } as const;

/** An amount, which Postgres sends as text. */
export const MINOR = {
  type: 'bigint',
  transformer: { from: (text: string) => BigInt(text), to: (amount: bigint) => String(amount) },
} satisfies ColumnOptions;

type Given<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

/** Leaves out conditions that were not given: TypeORM refuses `undefined`. */
export const given = <T extends object>(filter: T): Given<T> =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as Given<T>;
