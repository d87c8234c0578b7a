import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface Payment {
  readonly payoutId: string;
  readonly userId: string;
  readonly amount: string;
  readonly currency: string;
}

export interface Seen {
  readonly method: string;
  readonly payoutId: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Answers the n-th call of a payment with this method, counted from 1; false leaves the answer to the receiver. */
export type Whim = (response: ServerResponse, payment: Payment, n: number) => boolean | void;

/** A balance system that pays each id once, unless a test lets it answer otherwise to a user's payments. */
export class PayoutReceiver {
  readonly seen: Seen[] = [];
  /** The payments that it has made, each entry once per payment. */
  readonly paid: Payment[] = [];
  /** The largest number of calls that were open for one payment at once. */
  atOnceMax = 0;
  private readonly book = new Map<string, Payment>();
  private readonly open = new Map<string, number>();
  private readonly whims = new Map<string, Whim>();
  private readonly userOf = new Map<string, string>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<PayoutReceiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new PayoutReceiver(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const payoutId = request.url!.split('/').at(-1)!;
        const text = Buffer.concat(chunks).toString();
        receiver.take({ method: request.method!, payoutId, headers: request.headers, text }, response);
      });
    });
    return receiver;
  }

  /** @param what a method and a user, such as `PUT ann`: the calls about that user's payments */
  let(what: string, whim: Whim): void {
    this.whims.set(what, whim);
  }

  callsOf(userId: string): string[] {
    return this.seen
      .filter(({ payoutId }) => this.userOf.get(payoutId) === userId)
      .map(({ method }) => method);
  }

  paidTo(userId: string): string[] {
    return this.paid.filter((one) => one.userId === userId).map(({ amount }) => amount);
  }

  pay(payment: Payment): void {
    if (this.book.has(payment.payoutId)) return;
    this.book.set(payment.payoutId, payment);
    this.paid.push(payment);
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private take(seen: Seen, response: ServerResponse): void {
    const { method, payoutId, text } = seen;
    this.seen.push(seen);
    const asked = method === 'PUT' ? (JSON.parse(text) as Payment) : undefined;
    if (asked) this.userOf.set(payoutId, asked.userId);
    const userId = this.userOf.get(payoutId)!;
    this.count(payoutId, 1);
    response.on('close', () => this.count(payoutId, -1));
    const n = this.seen.filter((one) => one.method === method && one.payoutId === payoutId).length;
    const whim = this.whims.get(`${method} ${userId}`);
    const payment = asked ?? this.book.get(payoutId) ?? ({ payoutId } as Payment);
    if (whim && whim(response, payment, n) !== false) return;
    if (asked) this.pay(asked);
    const paid = this.book.get(payoutId);
    if (!paid) reply(response, 404, { code: 'not-found', payoutId });
    else reply(response, 200, { ...echo(paid), state: 'paid', externalId: `T-${payoutId}` });
  }

  private count(payoutId: string, step: 1 | -1): void {
    const open = (this.open.get(payoutId) ?? 0) + step;
    this.open.set(payoutId, open);
    this.atOnceMax = Math.max(this.atOnceMax, open);
  }
}

export const echo = ({ payoutId, userId, amount, currency }: Payment): Payment => ({
  payoutId,
  userId,
  amount,
  currency,
});

export function reply(response: ServerResponse, status: number, body: object, headers: object = {}): true {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  return true;
}
