import type { Packet } from '../../../../libs/redis-scripts';

/**
 * The outcome of a grab; none is an error. If several apply, the first one in this order is
 * answered: already, closed, not-open, not-yet, sold-out, limit, won.
 */
export type GrabOutcome =
  /** Confirmed in Postgres, and answered for the first time. */
  | { readonly kind: 'won'; readonly packet: Packet }
  /** The packet that this user has had all along. */
  | { readonly kind: 'already'; readonly packet: Packet }
  /** Reserved, but not confirmed in time. The user asks again, and is paid even if they do not. */
  | { readonly kind: 'reserved'; readonly packet: Packet }
  | { readonly kind: 'sold-out' }
  /** The user has won as often as the limits of the activity allow. Only Postgres says so. */
  | { readonly kind: 'limit' }
  | { readonly kind: 'not-open'; readonly opensAtMs: number }
  /** Packets are still to come: the next ones at `nextAtMs`. */
  | { readonly kind: 'not-yet'; readonly nextAtMs: number; readonly closesAtMs: number }
  | { readonly kind: 'closed' };

export const OUTCOMES = [
  'won',
  'already',
  'reserved',
  'sold-out',
  'limit',
  'not-open',
  'not-yet',
  'closed',
] as const satisfies GrabOutcome['kind'][];
