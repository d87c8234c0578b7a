import { createVerifier } from 'fast-jwt';
import { LRUCache } from 'lru-cache';
import { secretBytes } from '../../../libs/standard-webhooks';
import type { Admitted } from '../../core/grab';
import { nowSeconds } from '../../platform/http';
import { ticketInvalid, ticketRequired } from './ticket.error';

/** A frame of the gateway has room for this much besides its other fields. */
export const TICKET_LENGTH_MAX = 800;

/** No activity closes later than this. */
const EXP_MAX_DAYS = 366;
const EXP_MAX_SECONDS = EXP_MAX_DAYS * 24 * 60 * 60;

/** Characters of remembered tickets: about a hundred thousand users. */
const REMEMBERED_MAX = 30_000_000;

interface TicketPayload {
  readonly activity?: unknown;
  readonly sub?: unknown;
  readonly exp?: unknown;
  readonly hold?: unknown;
}

interface Signed {
  readonly header: { readonly kid?: unknown };
  readonly payload: TicketPayload;
}

export interface TicketKey {
  readonly id: string;
  /** Throws when the ticket is not signed by this key, or has ended. */
  verify(this: void, ticket: string): Signed;
}

interface Checked {
  readonly keyId: string;
  readonly claims: TicketPayload;
}

/** The algorithm is pinned, and never read from the ticket. */
export const ticketKey = (id: string, secret: string, toleranceSeconds: number): TicketKey => ({
  id,
  verify: createVerifier({
    key: secretBytes(secret),
    complete: true,
    algorithms: ['HS256'],
    requiredClaims: ['activity', 'sub', 'exp'],
    clockTolerance: toleranceSeconds * 1_000,
  }) as TicketKey['verify'],
});

/**
 * Judges tickets. A crowd taps again and again with the same ones, so a checked ticket is
 * remembered while its key is live; nothing else is kept of it.
 */
export class Tickets {
  private readonly remembered = new LRUCache<string, Checked>({
    maxSize: REMEMBERED_MAX,
    sizeCalculation: (_, ticket) => ticket.length,
  });

  constructor(private readonly toleranceSeconds: number) {}

  /** @throws ticketRequired, ticketInvalid, which names no fault other than that of `exp` */
  admit(
    keys: readonly TicketKey[],
    activityId: string,
    userId: string,
    ticket: unknown,
  ): Pick<Admitted, 'hold'> {
    if (ticket === undefined) throw ticketRequired('Ask the sponsor of the activity for one.');
    const { activity, sub, exp, hold = false } = this.claimsOf(ticket, keys) ?? {};
    const isTheirs = activity === activityId && sub === userId && typeof hold === 'boolean';
    const leftSeconds = (exp as number) - nowSeconds();
    if (!isTheirs || leftSeconds <= -this.toleranceSeconds)
      throw ticketInvalid(
        'It is not for this user and activity, not signed by a key of the sponsor, or too old.',
      );
    if (leftSeconds > EXP_MAX_SECONDS + this.toleranceSeconds)
      throw ticketInvalid(`Its exp must be at most ${EXP_MAX_DAYS} days from now, in seconds since 1970.`);
    return { hold };
  }

  private claimsOf(ticket: unknown, keys: readonly TicketKey[]): TicketPayload | undefined {
    if (typeof ticket !== 'string' || ticket.length > TICKET_LENGTH_MAX) return undefined;
    const known = this.remembered.get(ticket);
    if (known && keys.some(({ id }) => id === known.keyId)) return known.claims;
    const checked = checkedBy(keys, ticket);
    if (checked) this.remembered.set(ticket, checked);
    return checked?.claims;
  }
}

/** The key that has signed the ticket. A ticket that names a key is accepted by no other. */
function checkedBy(keys: readonly TicketKey[], ticket: string): Checked | undefined {
  for (const { id, verify } of keys) {
    const signed = signedBy(verify, ticket);
    const kid = signed?.header.kid;
    if (signed && (kid === undefined || kid === id)) return { keyId: id, claims: signed.payload };
  }
  return undefined;
}

function signedBy(verify: TicketKey['verify'], ticket: string): Signed | undefined {
  try {
    return verify(ticket);
  } catch {
    return undefined;
  }
}
