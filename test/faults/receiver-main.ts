import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Chance } from './chance';
import { type Entry, type Lie, ReceiverFiles } from './receiver-files';

/** Longer than the sender waits, but shorter than the quarantine of the campaign's channels. */
const LATE_MS = [1_300, 3_300] as const;

const PAID_FIRST: readonly Lie[] = [
  'error-after-effect',
  'new-code-after-effect',
  'html',
  'cut-after-effect',
  'twice',
  'late-answer',
];

type Order = Pick<Entry, 'payoutId' | 'userId' | 'amount' | 'currency'>;

/**
 * A balance system that pays each id once, unless it is asked again while the first payment is still in
 * progress: it finds only payments that have already been made. It lies according to the habits of the round.
 */
class Receiver {
  /** The book, by the ids of payouts. */
  private readonly known = new Map<string, Entry>();
  private readonly met = new Set<string>();
  /** Payout → user, for payouts that were requested since the start. */
  private readonly userOf = new Map<string, string>();
  private wrongAmounts = 0;

  constructor(private readonly files: ReceiverFiles) {
    for (const entry of files.entries()) this.known.set(entry.payoutId, entry);
  }

  async answer(method: string, payoutId: string, body: string, response: ServerResponse): Promise<void> {
    const order = method === 'PUT' ? (JSON.parse(body) as Order) : undefined;
    if (order) this.userOf.set(payoutId, order.userId);
    if (this.files.habits.unclearTo?.includes(this.userOf.get(payoutId) ?? ''))
      return this.mumble(payoutId, order, response);
    if (!order) return this.tell(payoutId, response);
    if (this.known.has(payoutId) || this.met.has(payoutId)) return this.pay(order, response);
    this.met.add(payoutId);
    const lie = this.lieOf(payoutId);
    if (lie) await this.lie(lie, order, response);
    else this.pay(order, response);
  }

  /** Half of these payments are made nevertheless. */
  private mumble(payoutId: string, order: Order | undefined, response: ServerResponse): void {
    const chance = new Chance(payoutId);
    const isPaid = chance.isTrue(0.5);
    if (order && isPaid && !this.known.has(payoutId)) this.note(order, 'paid');
    switch (chance.pick(['error', 'new-code', 'silence'] as const)) {
      case 'error':
        return send(response, 500, { error: 'try again' });
      case 'new-code':
        return send(response, 422, { payoutId, state: 'refused', code: 'under-review' });
      case 'silence':
        return;
    }
  }

  /** A payment meets a lie only when it is first requested. */
  private lieOf(payoutId: string): Lie | undefined {
    const { words, lies, share, wrongAmountsMax = 2 } = this.files.habits;
    const chance = new Chance(`${words}/${payoutId}`);
    if (!chance.isTrue(share)) return undefined;
    const lie = chance.pick(lies);
    return lie === 'wrong-amount' && ++this.wrongAmounts > wrongAmountsMax ? undefined : lie;
  }

  private async lie(lie: Lie, order: Order, response: ServerResponse): Promise<void> {
    if (PAID_FIRST.includes(lie)) this.note(order, 'paid');
    switch (lie) {
      case 'wrong-amount':
        this.note(order, 'paid', `1${order.amount}`);
        return this.tell(order.payoutId, response);
      case 'refused':
        this.note(order, 'refused');
        return this.tell(order.payoutId, response);
      case 'error-after-effect':
      case 'error-before-effect':
        return send(response, 500, { error: 'try again' });
      case 'new-code-after-effect':
      case 'new-code-before-effect':
        return send(response, 422, { ...order, state: 'refused', code: 'risk-control-7' });
      case 'html':
        return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Paid.</html>');
      case 'busy':
        return void response.writeHead(429, { 'retry-after': '1' }).end();
      case 'cut-after-effect':
      case 'cut-before-effect':
        return void response.destroy();
      case 'twice':
        return this.tellTwice(order.payoutId, response);
      case 'late-answer':
        await pause(this.lateness(order));
        return this.tell(order.payoutId, response);
      case 'late-effect':
        await pause(this.lateness(order));
        this.note(order, 'paid');
        return this.tell(order.payoutId, response);
    }
  }

  private lateness({ payoutId }: Order): number {
    return new Chance(payoutId).integer(...(this.files.habits.lateMs ?? LATE_MS));
  }

  private pay(order: Order, response: ServerResponse): void {
    if (!this.known.has(order.payoutId)) this.note(order, 'paid');
    this.tell(order.payoutId, response);
  }

  private note(order: Order, state: Entry['state'], says = order.amount): void {
    const { payoutId, userId, amount, currency } = order;
    const entry = { payoutId, userId, amount, currency, state, says };
    this.files.write(entry);
    this.known.set(payoutId, entry);
  }

  private tell(payoutId: string, response: ServerResponse): void {
    const entry = this.known.get(payoutId);
    if (!entry) return send(response, 404, { code: 'not-found', payoutId });
    const said = bodyOf(entry);
    if (entry.state === 'refused') return send(response, 422, { ...said, code: 'user-closed' });
    send(response, 200, { ...said, externalId: `T-${payoutId}` });
  }

  /** The connection stays open, so the second answer may meet the next call. */
  private tellTwice(payoutId: string, response: ServerResponse): void {
    const body = JSON.stringify({ ...bodyOf(this.known.get(payoutId)!), externalId: `T-${payoutId}` });
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
    response.socket!.write(head + body);
    setTimeout(() => response.socket?.write(head + body), 5);
  }
}

const bodyOf = ({ says, ...entry }: Entry): object => ({ ...entry, amount: says });

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const [directory = '', port = ''] = process.argv.slice(2);
const receiver = new Receiver(new ReceiverFiles(directory));

createServer((request, response) => {
  response.on('error', () => undefined);
  text(request)
    .then((body) => receiver.answer(request.method!, request.url!.split('/').at(-1)!, body, response))
    .catch(() => response.destroy());
}).listen(Number(port), '127.0.0.1', () => console.log('The receiver listens.'));
