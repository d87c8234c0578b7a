import type { Redis } from 'ioredis';
import type { Pool } from 'pg';

/** The answer to a user: the amount in minor units, or why they get none. */
export type Answer = number | 'sold-out' | 'already' | 'gave-up';

/** One way to build a red packet rain, small but correct: one user, one packet; one packet, one user. */
export interface Design {
  /** Every packet survives the death of the process, whether or not somebody was told of it. */
  readonly losesNothing: boolean;
  /** What a reader of the table should know about it. */
  readonly remark: string;
  /** A new rain with this many packets; returns its id. */
  open(packets: number): Promise<string>;
  grab(rainId: string, userId: string): Promise<Answer>;
  /** Waits until nothing that was answered is on its way to Postgres any more. */
  settled(): Promise<void>;
  /** What a process does when it starts after another one was killed. */
  recover(rainId: string): Promise<void>;
  /** Packets that can still be grabbed. */
  left(rainId: string): Promise<number>;
  /** Who has how much, according to Postgres. */
  claims(rainId: string): Promise<Map<string, number>>;
  end(): Promise<void>;
}

/** What the compared designs share; only one of them works at a time. */
export interface Engines {
  readonly pg: Pool;
  readonly redis: Redis;
}

/** Connections to Postgres, for every design alike. */
export const POOL_MAX = 8;

/** Tries of an optimistic lock. Three to five are usual; no design should lose here because it gave up early. */
export const OPTIMISTIC_TRIES_MAX = 20;

export const AMOUNT_PER_PACKET_MINOR = 100;
