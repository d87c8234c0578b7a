import type { Redis } from 'ioredis';
import type { Pool } from 'pg';

/** The answer to a user: the amount in minor units, or the reason why they get none. */
export type Answer = number | 'sold-out' | 'already' | 'gave-up';

/** One way to build a red packet rain, small but correct: one user, one packet. */
export interface Design {
  /** Every packet survives the death of the process, whether or not a user was told of it. */
  readonly losesNothing: boolean;
  readonly remark: string;
  open(packets: number): Promise<string>;
  grab(rainId: string, userId: string): Promise<Answer>;
  /** Waits until every answered packet is stored in Postgres. */
  settled(): Promise<void>;
  /** Does the work of a process that starts after another was killed. */
  recover(rainId: string): Promise<void>;
  left(rainId: string): Promise<number>;
  /** Amounts by user, according to Postgres. */
  claims(rainId: string): Promise<Map<string, number>>;
  end(): Promise<void>;
}

export interface Engines {
  readonly pg: Pool;
  readonly redis: Redis;
}

export const POOL_MAX = 8;

/** Tries of an optimistic lock. Three to five are usual; here no design gives up early. */
export const OPTIMISTIC_TRIES_MAX = 20;

export const AMOUNT_PER_PACKET_MINOR = 100;
