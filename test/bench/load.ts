import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const SILENCE_MAX_MS = 30_000;
const HEAD_END = '\r\n\r\n';
const LENGTH_HEADER = 'content-length: ';
const STATUS_AT = 9;

export interface Reply {
  readonly status: number;
  readonly body: string;
}

export interface Heard {
  readonly request: number;
  /** Status, code and reason, such as `200 0`, `200 -1 sold-out`, `503 grab.backlog_full`. */
  readonly outcome: string;
  readonly latencyMs: number;
}

export interface Load {
  readonly seconds: number;
  readonly heard: readonly Heard[];
}

export interface Asker {
  readonly isOpen: boolean;
  ask(request: Buffer): Promise<Reply>;
  close(): void;
}

/** An HTTP/1.1 keep-alive connection with at most one request in progress. */
export class Connection implements Asker {
  private received = '';
  private awaited?: { resolve: (reply: Reply) => void; reject: (error: Error) => void };

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1').setNoDelay(true);
    socket.on('data', (text: string) => this.take(text));
    socket.on('timeout', () => {
      if (this.awaited) socket.destroy(new Error(`No answer within ${SILENCE_MAX_MS} ms.`));
    });
    socket.on('error', (error) => this.fail(error));
    socket.on('close', () => this.fail(new Error('The server closed the connection.')));
  }

  /** Only with `from`, the client's address, is a port slow to find after thousands were in use. */
  static open(port: number, from?: string): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from, timeout: SILENCE_MAX_MS });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new Connection(socket));
      });
    });
  }

  ask(request: Buffer): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.awaited = { resolve, reject };
      if (this.socket.destroyed) this.fail(new Error('The connection is closed.'));
      else this.socket.write(request);
    });
  }

  get isOpen(): boolean {
    return !this.socket.destroyed;
  }

  close(): void {
    this.socket.destroy();
  }

  private take(text: string): void {
    this.received += text;
    const headEnd = this.received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const bodyAt = headEnd + HEAD_END.length;
    const lengthAt = this.received.indexOf(LENGTH_HEADER) + LENGTH_HEADER.length;
    if (this.received.length < bodyAt + Number.parseInt(this.received.slice(lengthAt, headEnd), 10)) return;
    const status = Number(this.received.slice(STATUS_AT, STATUS_AT + 3));
    const body = this.received.slice(bodyAt);
    this.received = '';
    this.awaited?.resolve({ status, body });
    this.awaited = undefined;
  }

  private fail(error: Error): void {
    this.awaited?.reject(error);
    this.awaited = undefined;
  }
}

export function connections(count: number, ports: readonly number[]): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => Connection.open(ports[i % ports.length]!)));
}

export function crowd(count: number, ports: readonly number[], addresses: number): Promise<Connection[]> {
  return Promise.all(
    Array.from({ length: count }, (_, i) =>
      Connection.open(ports[i % ports.length]!, `127.0.1.${1 + (i % addresses)}`),
    ),
  );
}

export function request(
  method: 'GET' | 'POST',
  path: string,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const length = method === 'POST' ? 'Content-Length: 0\r\n' : '';
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n${more.join('')}${length}`;
  return Buffer.from(`${head}\r\n`, 'latin1');
}

/** The bytes of a POST with a body, which has one effect however often it is sent. */
export function post(path: string, token: string, body: object, key: string): Buffer {
  const text = JSON.stringify(body);
  const head =
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nIdempotency-Key: ${key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`;
  return Buffer.from(`${head}\r\n${text}`);
}

/** Saturation: every connection sends its next request as soon as it has the last answer. */
export const closedLoop = (clients: readonly Asker[], requests: readonly Buffer[]): Promise<Load> =>
  loop(clients, requests, (_, asked) => asked < requests.length);

/**
 * Asks over connections of its own: each sends its next request as soon as it has the last answer, or all
 * of them together send `perSecond`.
 * @throws Error unless every request has this outcome
 */
export async function askAll(
  port: number,
  requests: readonly Buffer[],
  { outcome, count, perSecond }: { outcome: string; count: number; perSecond?: number },
): Promise<Load> {
  const clients = await connections(count, [port]);
  const load =
    perSecond === undefined
      ? await closedLoop(clients, requests)
      : await openLoop(clients, requests, steadily(perSecond));
  for (const client of clients) client.close();
  expectOutcomes(load.heard, { [outcome]: requests.length });
  return load;
}

/** Repeats these requests until it is told to end, and counts those then in progress. */
export function endlessLoop(
  clients: readonly Asker[],
  requests: readonly Buffer[],
): { end(): Promise<Load> } {
  let isWanted = true;
  const load = loop(clients, requests, ({ isOpen }) => isWanted && isOpen);
  return {
    end: () => {
      isWanted = false;
      return load;
    },
  };
}

/** @param goesOn returns true if a client sends another request after this many were sent */
async function loop(
  clients: readonly Asker[],
  requests: readonly Buffer[],
  goesOn: (client: Asker, asked: number) => boolean,
): Promise<Load> {
  const heard: Heard[] = [];
  const began = performance.now();
  let next = 0;
  const work = async (client: Asker) => {
    while (goesOn(client, next))
      heard.push(await askOnce(client, requests, next++ % requests.length, performance.now()));
  };
  await Promise.all(clients.map(work));
  return { seconds: (performance.now() - began) / 1000, heard };
}

/** Starts all clients at this moment; each asks once. Latencies count from the start. */
export async function storm(port: number, requests: readonly Buffer[]): Promise<Heard[]> {
  const cameAt = performance.now();
  const come = async (_: Buffer, request: number): Promise<Heard> => {
    const client = await Connection.open(port).catch(() => undefined);
    if (!client) return { request, outcome: 'not connected', latencyMs: performance.now() - cameAt };
    return askOnce(client, requests, request, cameAt).finally(() => client.close());
  };
  return Promise.all(requests.map(come));
}

interface Due {
  readonly request: number;
  readonly at: number;
}

/**
 * Sends every request when it is due, in milliseconds from the start, answered or not, and counts
 * its latency from then. Beyond `waitingMax` requests without a free connection it gives up: `not
 * sent`.
 */
export async function openLoop(
  clients: readonly Connection[],
  requests: readonly Buffer[],
  dueMs: (request: number) => number,
  waitingMax = Infinity,
): Promise<Load> {
  const heard: Heard[] = [];
  const idle = [...clients];
  const waiting: Due[] = [];
  const underWay = new Set<Promise<void>>();
  const giveUp = ({ request }: Due) => heard.push({ request, outcome: 'not sent', latencyMs: 0 });

  const serve = async (client: Connection, first: Due) => {
    for (let due: Due | undefined = first; due; due = client.isOpen ? waiting.shift() : undefined)
      heard.push(await askOnce(client, requests, due.request, due.at));
    if (client.isOpen) idle.push(client);
  };
  const send = (due: Due) => {
    const client = idle.shift();
    if (client) {
      const served: Promise<void> = serve(client, due).finally(() => underWay.delete(served));
      underWay.add(served);
    } else if (waiting.length < waitingMax) waiting.push(due);
    else giveUp(due);
  };

  const began = performance.now();
  for (let next = 0; next < requests.length; await pause(1))
    for (; next < requests.length && began + dueMs(next) <= performance.now(); next++)
      send({ request: next, at: began + dueMs(next) });
  while (underWay.size > 0) await Promise.all(underWay);
  waiting.forEach(giveUp);
  return { seconds: (performance.now() - began) / 1000, heard };
}

export const steadily =
  (perSecond: number) =>
  (request: number): number =>
    (request / perSecond) * 1000;

async function askOnce(
  client: Asker,
  requests: readonly Buffer[],
  request: number,
  dueAt: number,
): Promise<Heard> {
  const outcome = await client.ask(requests[request]!).then(outcomeOf, () => 'cut off');
  return { request, outcome, latencyMs: performance.now() - dueAt };
}

function outcomeOf({ status, body }: Reply): string {
  const code = /"code":"([^"]*)"/.exec(body)?.[1];
  const reason = /"reason":"([^"]*)"/.exec(body)?.[1];
  return [status, code, reason].filter((part) => part !== undefined).join(' ');
}

export const latenciesOf = (heard: readonly Heard[]): number[] => heard.map(({ latencyMs }) => latencyMs);

function tally(heard: readonly Heard[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of heard) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

export function expectOutcomes(heard: readonly Heard[], expected: Record<string, number>): void {
  const actual = tally(heard);
  const text = (counts: Record<string, number>) => JSON.stringify(Object.entries(counts).sort());
  if (text(actual) !== text(expected))
    throw new Error(`Answers ${text(actual)}, expected ${text(expected)}.`);
}
