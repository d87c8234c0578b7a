import { ticketFor, type TicketKey } from '../harness/ticket';
import type { Keys } from './audience';
import type { Strangers } from './crowd';

const TWO_DAYS_SECONDS = 172_800;

/** Users without a ticket, or whose ticket is for another user or rain, signed with another key, or too old. */
export function strangersOf(
  key: TicketKey,
  activityId: string,
  invitedId: string,
  keys: Keys = {},
): Strangers {
  const name = (fault: string) => `stranger-${activityId}-${fault}`;
  const otherKey = { ...key, secret: `whsec_${Buffer.alloc(32).toString('base64')}` };
  const exp = Math.floor(Date.now() / 1_000) - TWO_DAYS_SECONDS;
  const tickets = new Map([
    [name('none'), undefined],
    [name('borrowed'), ticketFor(key, activityId, invitedId)],
    [name('elsewhere'), ticketFor(key, `${BigInt(activityId) + 1n}`, name('elsewhere'))],
    [name('forged'), ticketFor(otherKey, activityId, name('forged'))],
    [name('late'), ticketFor(key, activityId, name('late'), { exp })],
  ]);
  return new Map(Array.from(tickets, ([userId, ticket]) => [userId, { ticket, keys }]));
}
