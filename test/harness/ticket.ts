import { createHmac } from 'node:crypto';
import { secretBytes } from '../../libs/standard-webhooks';
import type { Installation } from './installation';

export interface TicketKey {
  readonly id: string;
  readonly secret: string;
}

export const inAnHour = (): number => Math.floor(Date.now() / 1_000) + 3_600;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs by HMAC-SHA256, whatever the header says. */
export function signTicket(secret: string, claims: object, header: object = { alg: 'HS256' }): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', secretBytes(secret)).update(signed).digest('base64url')}`;
}

export const ticketFor = (key: TicketKey, activity: string, sub: string, more: object = {}): string =>
  signTicket(key.secret, { activity, sub, exp: inAnHour(), ...more });

export async function createTicketKey(rain: Installation, sponsorId: string): Promise<TicketKey> {
  const { status, body } = await rain.operator().post('/v1/ticket-keys', { sponsorId });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body as TicketKey;
}
