import type { IncomingHttpHeaders } from 'node:http';
import type { NewCall } from '../book/entries';
import type { Outcome } from '../book/payout-state';
import type { ChannelRow } from '../channel/channel.entity';

/** A call, with the payment as its channel is to know it. */
export interface CallFacts extends Pick<NewCall, 'method'> {
  /** `^[0-9A-Za-z]{1,32}$`: names the payout and its attempt. A repeated call has the same. */
  readonly payoutId: string;
  readonly userId: string;
  readonly amount: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly createdAt: Date;
  /** For a payout of a rain: the number of wins that it combines. */
  readonly claims: number | null;
  /** The moment of the call. */
  readonly at: Date;
}

/** What goes over the wire. */
export interface CallRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came back over the wire. */
export interface CallReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Undefined when it was too long. */
  readonly body: string | undefined;
}

/** The result of a call. Only the first kind may change where the money is. */
export type CallResult =
  | {
      readonly kind: 'outcome';
      readonly outcome: Outcome;
      readonly externalId?: string;
      readonly code?: string;
      readonly action?: string;
    }
  /** The channel has not taken it, and cannot take anything for a while. */
  | {
      readonly kind: 'full';
      readonly reason: string;
      readonly waitSeconds: number;
      /** A channel whose money or limit is used up answers questions all the same. */
      readonly stops: 'calls' | 'payments';
    }
  /** It has certainly not taken it: it does not know us, or nothing has reached it. */
  | {
      readonly kind: 'misconfigured';
      readonly reason: string;
      /** Nothing has reached it, for any user. */
      readonly isAway?: boolean;
    }
  /** It does not know the id. */
  | { readonly kind: 'not-found' }
  /** It has paid something other than what it was asked for. */
  | { readonly kind: 'differs'; readonly said: object }
  /** It may have paid, or may still pay. */
  | {
      readonly kind: 'unknown';
      readonly reason: string;
      /** The answer has a code, so the channel is well, and only this payment is in doubt. */
      readonly isWell?: boolean;
      /** The call came too late to be made, which says nothing about user or channel. */
      readonly isOurs?: boolean;
      /** The answer belongs to another call: something on the way, or the channel, has answered twice. */
      readonly isOfAnother?: boolean;
    };

/**
 * How the receiver of a channel is asked, and what its replies mean. It is pure: the connection, its time-outs
 * and faults, and what a result does to the payout are the same for all.
 *
 * @example
 * export const signedJson: Protocol = { ask, judge };
 */
export interface Protocol {
  ask(channel: ChannelRow, facts: CallFacts): CallRequest;
  /**
   * Treats everything that it does not recognise as unknown: a refusal gives the money back, and the receiver
   * may still pay.
   */
  judge(facts: CallFacts, reply: CallReply): CallResult;
}
