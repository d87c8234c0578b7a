import { createDecoder, createVerifier } from 'fast-jwt';
import { LRUCache } from 'lru-cache';
import { secretBytes } from '../../../libs/standard-webhooks';
import { nowSeconds } from '../../platform/http';
import { ticketInvalid, ticketRequired } from './ticket.error';

/** A frame of the gateway has room for so much beside its other fields. */
export const TICKET_LENGTH_MAX = 800;

/** Characters of remembered tickets: about a hundred thousand users. */
const REMEMBERED_MAX = 30_000_000;

interface Claims {
  readonly activity?: unknown;
  readonly sub?: unknown;
  readonly exp?: unknown;
  readonly hold?: unknown;
}

/** How a tap is admitted. All that follows is passed this as it is. */
export interface Admitted {
  /** A win is to be held. */
  readonly hold: boolean;
  /** The activity may limit the wins of a user. */
  readonly mayLimit: boolean;
}

export const FREELY: Admitted = { hold: false, mayLimit: false };

export interface TicketKey {
  readonly id: string;
  /** Throws when the ticket is not signed by this key, or has ended. */
  verify(this: void, ticket: string): Claims;
}

interface Checked {
  readonly keyId: string;
  readonly claims: Claims;
}

/** The algorithm is pinned, and never read from the ticket. */
export const ticketKey = (id: string, secret: string, toleranceSeconds: number): TicketKey => ({
  id,
  verify: createVerifier({
    key: secretBytes(secret),
    algorithms: ['HS256'],
    requiredClaims: ['activity', 'sub', 'exp'],
    clockTolerance: toleranceSeconds * 1_000,
  }) as TicketKey['verify'],
});

const decode = createDecoder({ complete: true }) as (ticket: string) => {
  readonly header: { readonly kid?: unknown };
};

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

  /** @throws ticketRequired, ticketInvalid without naming the fault */
  admit(
    keys: readonly TicketKey[],
    activityId: string,
    userId: string,
    ticket: unknown,
  ): Pick<Admitted, 'hold'> {
    if (ticket === undefined) throw ticketRequired('Ask the sponsor of the activity for one.');
    const { activity, sub, exp, hold = false } = this.claimsOf(ticket, keys) ?? {};
    const isTheirs = activity === activityId && sub === userId && typeof hold === 'boolean';
    if (!isTheirs || nowSeconds() >= (exp as number) + this.toleranceSeconds)
      throw ticketInvalid('It is not for this user and activity, not by a key of its sponsor, or too old.');
    return { hold };
  }

  private claimsOf(ticket: unknown, keys: readonly TicketKey[]): Claims | undefined {
    if (typeof ticket !== 'string' || ticket.length > TICKET_LENGTH_MAX) return undefined;
    const known = this.remembered.get(ticket);
    if (known && keys.some(({ id }) => id === known.keyId)) return known.claims;
    const checked = checkedBy(keys, ticket);
    if (checked) this.remembered.set(ticket, checked);
    return checked?.claims;
  }
}

/** The first key that has signed the ticket, or only the one that it names. */
function checkedBy(keys: readonly TicketKey[], ticket: string): Checked | undefined {
  try {
    const { kid } = decode(ticket).header;
    for (const { id, verify } of kid === undefined ? keys : keys.filter(({ id }) => id === kid)) {
      const claims = claimsBy(verify, ticket);
      if (claims) return { keyId: id, claims };
    }
  } catch {
    // No JSON Web Token at all.
  }
  return undefined;
}

function claimsBy(verify: TicketKey['verify'], ticket: string): Claims | undefined {
  try {
    return verify(ticket);
  } catch {
    return undefined;
  }
}
