import { ECHOED, REFUSALS } from '../../../../libs/payout-protocol';
import { repeatedKey } from '../../../../libs/repeated-key';
import { signatureHeaders } from '../../../../libs/standard-webhooks';
import type { ChannelRow } from '../channel/channel.entity';
import { HELD_SECONDS_MAX } from '../channel/waits';
import type { CallResult, CallRequest, Protocol, CallFacts, CallReply } from './protocol';

const FULL = ['limit-channel', 'no-funds'];
const FULL_SECONDS = 60;
const TOO_MANY = 429;
const TOO_MANY_SECONDS = 1;
const UNAUTHENTICATED = 401;
const STRANGER = [UNAUTHENTICATED, 403, 404];

const NO_ID = 'no id';

const TEXT_MAX = { externalId: 100, action: 500 };

/** Asks with PUT for the payment under its id, and with GET about it, signed as in Standard Webhooks. */
function ask(channel: ChannelRow, facts: CallFacts): CallRequest {
  const { method, payoutId, at } = facts;
  const body = method === 'PUT' ? bodyOf(facts) : '';
  const timestampSeconds = Math.floor(at.getTime() / 1_000);
  return {
    url: `${channel.url!.replace(/\/$/, '')}/payouts/${payoutId}`,
    method,
    body,
    headers: {
      ...(method === 'PUT' ? { 'content-type': 'application/json' } : {}),
      'user-agent': 'hongbao-payouts',
      ...signatureHeaders(secretsOf(channel, at), { id: payoutId, timestampSeconds, body }),
    },
  };
}

function bodyOf({ payoutId, userId, amount, currency, amountMinor, createdAt, claims }: CallFacts): string {
  return JSON.stringify({
    payoutId,
    userId,
    amount,
    currency,
    amountMinor: String(amountMinor),
    createdAt: createdAt.toISOString(),
    claims: claims ?? undefined,
  });
}

function secretsOf({ secret, formerSecret, formerSecretUntil }: ChannelRow, at: Date): string[] {
  const isFormerValid = formerSecretUntil !== null && formerSecretUntil > at;
  return isFormerValid ? [secret!, formerSecret!] : [secret!];
}

/**
 * Judges an answer by the table of docs/payouts.md. Anything that is not in it is unknown: taking it for a
 * refusal is how people get paid twice.
 */
function judge(facts: CallFacts, reply: CallReply): CallResult {
  const { status } = reply;
  const said = parse(reply.body);
  if (said && repeatedKey(reply.body!) !== undefined) return unknown('a key twice');
  const code = textOf(said?.code, 50);
  if (said?.payoutId !== undefined && said.payoutId !== facts.payoutId)
    return { kind: 'unknown', reason: 'another id', isOfAnother: true };
  if (said && status >= 200 && status < 300) return judgeState(facts, said, status, code);
  if (status < 400 || status >= 500) return unknown(`answered ${status}`);
  if (code === undefined) {
    if (status === TOO_MANY) return full('answered 429', 'calls', reply, TOO_MANY_SECONDS);
    if (STRANGER.includes(status)) return { kind: 'misconfigured', reason: `answered ${status}` };
    return unknown(`answered ${status}`);
  }
  if (said?.state !== undefined && said.state !== 'refused' && said.state !== code)
    return unsettled(`answered ${status} with a state`);
  if (REFUSALS.includes(code)) return said?.payoutId === undefined ? unsettled(NO_ID) : refused(code);
  if (FULL.includes(code)) return full(code, 'payments', reply, FULL_SECONDS);
  if (status === UNAUTHENTICATED) return { kind: 'misconfigured', reason: `answered ${status} ${code}` };
  if (facts.method === 'GET' && status === 404 && code === 'not-found') return { kind: 'not-found' };
  return unsettled(`answered ${status} ${code}`);
}

function judgeState(facts: CallFacts, said: Said, status: number, code: string | undefined): CallResult {
  const externalId = textOf(said.externalId, TEXT_MAX.externalId);
  switch (said.state) {
    case 'paid':
    case 'returned':
      if (!isEcho(facts, said)) return { kind: 'differs', said: echoOf(said) };
      return { kind: 'outcome', outcome: said.state, externalId };
    case 'processing':
      if (said.payoutId === undefined) return unknown(NO_ID);
      return { kind: 'outcome', outcome: 'processing', externalId };
    case 'needs-user': {
      if (said.payoutId === undefined) return unknown(NO_ID);
      return {
        kind: 'outcome',
        outcome: 'needs-user',
        externalId,
        action: textOf(said.action, TEXT_MAX.action),
      };
    }
    default: {
      const isOwnAnswer = said.payoutId !== undefined && code !== undefined;
      return (isOwnAnswer ? unsettled : unknown)(`answered ${status} without a known state`);
    }
  }
}

type Said = Readonly<Record<string, unknown>>;

function parse(body: string | undefined): Said | undefined {
  try {
    const said: unknown = JSON.parse(body ?? '');
    return typeof said === 'object' && said !== null && !Array.isArray(said) ? (said as Said) : undefined;
  } catch {
    return undefined;
  }
}

/** A text that Postgres can keep. */
function textOf(value: unknown, max: number): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > max) return undefined;
  return /[\p{Cc}\p{Cs}]/u.test(value) ? undefined : value;
}

const isEcho = (facts: CallFacts, said: Said): boolean => ECHOED.every((name) => said[name] === facts[name]);

const echoOf = (said: Said): object =>
  Object.fromEntries(ECHOED.map((name) => [name, textOf(said[name], 200) ?? null]));

const refused = (code: string): CallResult => ({ kind: 'outcome', outcome: 'refused', code });

const unknown = (reason: string): CallResult => ({ kind: 'unknown', reason });

const unsettled = (reason: string): CallResult => ({ kind: 'unknown', reason, isWell: true });

function full(reason: string, stops: 'calls' | 'payments', reply: CallReply, otherwise: number): CallResult {
  return { kind: 'full', reason, stops, waitSeconds: secondsOf(reply) ?? otherwise };
}

/** `Retry-After` is a number of seconds or a date. */
function secondsOf({ headers: { 'retry-after': text, date } }: CallReply): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.parse(date ?? '')) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, TOO_MANY_SECONDS), HELD_SECONDS_MAX);
}

/** The protocol of docs/payouts.md. */
export const signedJson: Protocol = { ask, judge };
