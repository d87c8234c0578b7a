import { setTimeout as pause } from 'node:timers/promises';
import type { Currency } from '../../../libs/money';
import { ECHOED, REFUSALS } from '../../../libs/payout-protocol';
import { type Answer, Fault, type Order, type ReceiverClient } from './receiver-client';

export interface Settings {
  readonly currency: Currency;
  readonly otherCurrency: string;
  readonly smallest: string;
  readonly largest: string;
  readonly userId: string;
  readonly oddUserIds: readonly string[];
  readonly unknownUserId: string;
  readonly closedUserId: string;
  readonly oldSecret: string | undefined;
  readonly payouts: number;
  readonly perSecond: number;
  readonly restart: (() => Promise<void>) | undefined;
  readonly statementFile: string | undefined;
}

const COMPARED = [...ECHOED, 'state', 'externalId', 'code'] as const;
const ENDS_WITHIN_MS = 10_000;
const POLL_MS = 100;

/** Orders of one run, and what the receiver must have in its books afterwards. */
export class Bench {
  readonly paid = new Map<string, Order>();
  readonly neverPaid = new Map<string, Order>();

  constructor(
    readonly runId: string,
    readonly client: ReceiverClient,
    readonly settings: Settings,
    readonly createdAt: string,
  ) {}

  /** `name` is unique in the run. The amount is above the smallest, by one minor unit and `minor`. */
  order(name: string, { minor = 0, ...changes }: Partial<Order> & { minor?: number } = {}): Order {
    const { currency, smallest, userId } = this.settings;
    const amount = changes.amount ?? currency.format(currency.parse(smallest) + BigInt(1 + minor));
    const amountMinor = String(currency.parse(amount));
    const payoutId = `${this.runId}${name}`;
    return {
      payoutId,
      userId,
      currency: currency.code,
      createdAt: this.createdAt,
      claims: 1,
      ...changes,
      amount,
      amountMinor,
    };
  }

  /** Sends a PUT, waits until the payout has ended, and returns the last answer. */
  async pay(order: Order, more: object = {}): Promise<Answer> {
    const answer = await this.ended(order, await this.client.put(order, more));
    this.expectPaid(order, answer, 'a PUT');
    return answer;
  }

  /** The receiver may take its time: 202, and later the end. */
  async ended(order: Order, first: Answer): Promise<Answer> {
    const deadline = performance.now() + ENDS_WITHIN_MS;
    let answer = first;
    while (answer.status === 202 || answer.body?.state === 'processing') {
      if (performance.now() > deadline) throw new Fault(`still processing after ${ENDS_WITHIN_MS} ms`);
      await pause(POLL_MS);
      answer = await this.client.get(order.payoutId);
    }
    return answer;
  }

  expectPaid(order: Order, answer: Answer, asked: string): void {
    if (answer.status !== 200 || answer.body?.state !== 'paid')
      throw new Fault(`${asked} is answered ${wordsFor(answer)} instead of 200 paid`);
    this.paid.set(order.payoutId, order);
    expectEcho(order, answer, asked);
  }

  async expectKept(order: Order, first: Answer, when: string): Promise<void> {
    const asked = `a GET ${when}`;
    const answer = await this.client.get(order.payoutId);
    this.expectPaid(order, answer, asked);
    expectEqual([first, answer], asked);
  }

  /** A refusal is an answer like any other: it stays. */
  async expectRefused(order: Order, code: string): Promise<void> {
    this.neverPaid.set(order.payoutId, order);
    const first = await this.ended(order, await this.client.put(order));
    for (const [asked, answer] of [
      ['a PUT', first],
      ['a GET', await this.client.get(order.payoutId)],
      ['the PUT again', await this.client.put(order)],
    ] as const) {
      if (!isClientError(answer) || answer.body?.code !== code)
        throw new Fault(`${asked} is answered ${wordsFor(answer)} instead of 4xx ${code}`);
      expectEqual([first, answer], asked);
    }
  }

  /** The first order may be paid already, so no refusal may follow that gives the money back. */
  expectConflict(answer: Answer, change: string): void {
    if (!isClientError(answer)) throw new Fault(`another ${change} is answered ${wordsFor(answer)}`);
    if (REFUSALS.includes(String(answer.body?.code)))
      throw new Fault(
        `another ${change} is answered ${wordsFor(answer)}, which gives money back that was paid`,
      );
  }

  async expectNotFound(order: Order, when: string): Promise<void> {
    const answer = await this.client.get(order.payoutId);
    if (answer.status !== 404 || answer.body?.code !== 'not-found')
      throw new Fault(`a GET ${when} is answered ${wordsFor(answer)} instead of 404 not-found`);
  }

  async expectUnbelieved(order: Order, headers: Readonly<Record<string, string>>): Promise<void> {
    this.neverPaid.set(order.payoutId, order);
    const call = this.client.signed('PUT', order.payoutId, JSON.stringify(order));
    const answer = await this.client.call({ ...call, headers });
    if (!isUnbelieved(answer)) throw new Fault(`it is answered ${wordsFor(answer)} instead of 401`);
    await this.expectNotFound(order, 'after it');
  }
}

export function expectEqual(answers: readonly Answer[], asked: string): void {
  const [first, ...others] = answers;
  for (const name of COMPARED)
    if (others.some(({ body }) => body?.[name] !== first?.body?.[name]))
      throw new Fault(`${asked} is answered with another ${name} than before`);
}

function expectEcho(order: Order, { body }: Answer, asked: string): void {
  for (const name of ECHOED)
    if (body?.[name] !== order[name])
      throw new Fault(`the answer to ${asked} does not repeat ${name} as it was sent`);
}

export const isUnbelieved = ({ status }: Answer): boolean => status === 401 || status === 403;

const isClientError = ({ status }: Answer): boolean => status >= 400 && status < 500 && status !== 429;

/** Names no id, so that two runs report the same. */
export function wordsFor({ status, body }: Answer): string {
  if (!body) return `${status} without JSON`;
  const word = body.code ?? body.state;
  return typeof word === 'string' ? `${status} ${word}` : `${status} without state and code`;
}
