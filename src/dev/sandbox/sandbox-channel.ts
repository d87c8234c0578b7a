import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { UnverifiedWebhook, verifySignature } from '../../../libs/client';
import { csvLine } from '../../../libs/csv';
import { FILE_COLUMNS } from '../../../libs/payout-protocol';
import type { Order } from '../conformance/receiver-client';
import { type Asked, type Payout, type Reply, replyTo, timesInFile } from './outcomes';

export interface SandboxOptions {
  readonly secrets: readonly string[];
  readonly port: number;
  readonly currency: string;
  /** How long slow outcomes take. */
  readonly laterMs: number;
}

const ROUTE = /^\/(payouts|statements)\/([0-9A-Za-z-]{1,32})$/;

/** A channel of payouts that keeps its books in memory. The user decides the outcome. */
export class SandboxChannel {
  private readonly payouts = new Map<string, Payout>();

  private constructor(
    private readonly server: Server,
    private readonly options: SandboxOptions,
  ) {}

  static async start(options: SandboxOptions): Promise<SandboxChannel> {
    const server = createServer();
    const sandbox = new SandboxChannel(server, options);
    server.on('request', (request, response) => {
      const answer = async (body: string) => {
        const reply = await sandbox.answerTo(request.method!, request.url!, request.headers, body);
        if (reply === undefined) return;
        const [status, content] = reply;
        const isText = typeof content === 'string';
        response.writeHead(status, { 'content-type': isText ? 'text/csv' : 'application/json' });
        response.end(isText ? content : JSON.stringify(content));
      };
      // A request that is cut off or is not JSON has no effect.
      text(request)
        .then(answer)
        .catch(() => request.destroy());
    });
    server.listen(options.port, '127.0.0.1');
    await once(server, 'listening');
    return sandbox;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** How many payouts it has taken, paid or not. */
  get count(): number {
    return this.payouts.size;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async answerTo(
    method: string,
    path: string,
    headers: IncomingHttpHeaders,
    body: string,
  ): Promise<Reply | readonly [number, string] | undefined> {
    const [, kind, id] = ROUTE.exec(path) ?? [];
    if (id === undefined) return [404, {}];
    const isBelieved = await isSigned(this.options.secrets, headers, body);
    if (headers['webhook-id'] !== id || !isBelieved) return [401, { code: 'signature' }];
    if (method === 'GET' && kind === 'statements') return [200, this.statementOf(id)];
    const known = this.payouts.get(id);
    if (method === 'GET') return known ? this.reply(known, 'GET', false) : [404, { code: 'not-found' }];
    if (method !== 'PUT' || kind !== 'payouts') return [405, {}];
    const order = JSON.parse(body) as Order;
    if (!known) return this.reply(this.note(order), 'PUT', true);
    const same = (['userId', 'amount', 'currency'] as const).every(
      (name) => known.order[name] === order[name],
    );
    return same ? this.reply(known, 'PUT', false) : [409, { code: 'conflict' }];
  }

  private note(order: Order): Payout {
    const payout = { order, externalId: randomUUID(), at: new Date().toISOString() };
    this.payouts.set(order.payoutId, payout);
    return payout;
  }

  private reply(payout: Payout, by: Asked['by'], first: boolean): Reply | undefined {
    const later = Date.now() - Date.parse(payout.at) >= this.options.laterMs;
    return replyTo(payout, { by, first, later }, this.options.currency);
  }

  private statementOf(day: string): string {
    const payouts = [...this.payouts.values()].filter(({ at }) => at.startsWith(`${day}T`));
    const lines = payouts.flatMap((payout) => {
      const [, { state }] = this.reply(payout, 'GET', false)!;
      if (typeof state !== 'string') return [];
      const { payoutId, userId, amount } = payout.order;
      return Array<string>(timesInFile(payout)).fill(csvLine([payoutId, userId, amount, state, payout.at]));
    });
    return [csvLine(FILE_COLUMNS), ...lines].join('');
  }
}

async function isSigned(
  secrets: readonly string[],
  headers: IncomingHttpHeaders,
  body: string,
): Promise<boolean> {
  try {
    await verifySignature(headers, body, secrets);
    return true;
  } catch (error) {
    if (error instanceof UnverifiedWebhook) return false;
    throw error;
  }
}
