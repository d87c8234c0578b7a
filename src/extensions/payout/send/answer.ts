import { ECHOED, REFUSALS } from '../../../../libs/payout-protocol';
import type { Outcome } from '../book/payout-state';
import { HELD_SECONDS_MAX } from '../channel/waits';

/** A payment as it was asked for. The channel's answer must repeat it. */
export interface Asked {
  readonly payoutId: string;
  readonly userId: string;
  readonly amount: string;
  readonly currency: string;
}

/** What came back over the line. */
export interface Reply {
  readonly status: number;
  readonly retryAfter?: string;
  /** When the channel has answered, by its own clock. */
  readonly date?: string;
  /** Undefined when it was too long. */
  readonly body: string | undefined;
}

/** What an answer means. Only the first kind may change where the money is. */
export type Verdict =
  | {
      readonly kind: 'outcome';
      readonly outcome: Outcome;
      readonly externalId?: string;
      readonly code?: string;
      readonly action?: string;
    }
  /** The channel has not taken it, and can take nothing for a while. */
  | {
      readonly kind: 'full';
      readonly reason: string;
      readonly waitSeconds: number;
      /** A channel whose money or limit is used up answers questions all the same. */
      readonly stops: 'calls' | 'payments';
    }
  /** It has surely not taken it: it does not know us, or nothing has reached it. */
  | {
      readonly kind: 'misconfigured';
      readonly reason: string;
      /** Nothing has reached it, whoever the payment is for. */
      readonly isAway?: boolean;
    }
  /** It does not know the id. */
  | { readonly kind: 'not-found' }
  /** It has paid something else than what it was asked for. */
  | { readonly kind: 'differs'; readonly said: object }
  /** It may have paid, or may pay yet. */
  | {
      readonly kind: 'unknown';
      readonly reason: string;
      /** The answer has a code, so the channel is well, and only this payment is in doubt. */
      readonly isWell?: boolean;
      /** The call came too late to be made, which says nothing about user or channel. */
      readonly isOurs?: boolean;
    };

const FULL = ['limit-channel', 'no-funds'];
const FULL_SECONDS = 60;
const TOO_MANY = 429;
const TOO_MANY_SECONDS = 1;
const UNAUTHENTICATED = 401;
const STRANGER = [UNAUTHENTICATED, 403, 404];

/** The answer belongs to another call: something on the way, or the channel, has answered twice. */
export const ANOTHER_ID = 'another id';

const NO_ID = 'no id';

const TEXT_MAX = { externalId: 100, action: 500 };

/**
 * Judges an answer by the table of docs/payouts.md. Whatever is not in it is unknown: taking that for
 * a refusal is how people are paid twice.
 */
export function judge(method: 'GET' | 'PUT', asked: Asked, reply: Reply): Verdict {
  const { status } = reply;
  const said = parse(reply.body);
  const code = textOf(said?.code, 50);
  if (said?.payoutId !== undefined && said.payoutId !== asked.payoutId) return unknown(ANOTHER_ID);
  if (said && status >= 200 && status < 300) return judgeState(asked, said, status, code);
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
  if (method === 'GET' && status === 404 && code === 'not-found') return { kind: 'not-found' };
  return unsettled(`answered ${status} ${code}`);
}

function judgeState(asked: Asked, said: Said, status: number, code: string | undefined): Verdict {
  const externalId = textOf(said.externalId, TEXT_MAX.externalId);
  switch (said.state) {
    case 'paid':
    case 'returned':
      if (!isEcho(asked, said)) return { kind: 'differs', said: echoOf(said) };
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

const isEcho = (asked: Asked, said: Said): boolean => ECHOED.every((name) => said[name] === asked[name]);

const echoOf = (said: Said): object =>
  Object.fromEntries(ECHOED.map((name) => [name, textOf(said[name], 200) ?? null]));

const refused = (code: string): Verdict => ({ kind: 'outcome', outcome: 'refused', code });

const unknown = (reason: string): Verdict => ({ kind: 'unknown', reason });

const unsettled = (reason: string): Verdict => ({ kind: 'unknown', reason, isWell: true });

function full(reason: string, stops: 'calls' | 'payments', reply: Reply, otherwise: number): Verdict {
  return { kind: 'full', reason, stops, waitSeconds: secondsOf(reply) ?? otherwise };
}

/** `Retry-After` is a number of seconds or a date. */
function secondsOf({ retryAfter: text, date }: Reply): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.parse(date ?? '')) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, TOO_MANY_SECONDS), HELD_SECONDS_MAX);
}
