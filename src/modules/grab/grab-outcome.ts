import type { Packet } from '../../../libs/redis-scripts';

/**
 * What a grab comes to. All of these are answers, none is an error. Where several apply the first one in this order is
 * told: already, closed, not-open, sold-out, won.
 */
export type GrabOutcome =
  /** This user's packet, confirmed in Postgres, told for the first time. */
  | { readonly kind: 'won'; readonly packet: Packet }
  /** The packet that this user has had all along. */
  | { readonly kind: 'already'; readonly packet: Packet }
  /** Set aside, but Postgres could not confirm it in time: the user asks again, and is paid even if they do not. */
  | { readonly kind: 'reserved'; readonly packet: Packet }
  | { readonly kind: 'sold-out' }
  | { readonly kind: 'not-open'; readonly opensAtMs: number }
  | { readonly kind: 'closed' };
