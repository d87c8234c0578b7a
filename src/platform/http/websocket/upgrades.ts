import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A client that asks to speak another protocol over its connection. */
export interface Upgrade {
  readonly socket: Socket;
  /** The bytes that it sent after its request. */
  readonly head: Buffer;
  /** The answer of a request that is not upgraded goes over this. */
  readonly response: ServerResponse;
}

const BEARER_PROTOCOL = /(?:^|,)\s*bearer\.([^\s,]+)/;

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/**
 * Lets clients ask for a WebSocket at one path, and nowhere else. The request passes every hook and
 * guard like all others, and a refusal is answered in the same way. The route finds its upgrade by
 * `upgradeOf`.
 *
 * Once there is a listener for upgrades, Node stops reading any request that asks for one, whatever
 * it is about. Some clients of HTTP/2 ask with each first request. Those are given back as if they
 * had not asked.
 */
export function allowUpgrade(server: Server, path: string): void {
  server.on('upgrade', (request: IncomingMessage, duplex, head) => {
    const socket = duplex as Socket;
    socket.on('error', () => socket.destroy());
    const response = responseOver(socket, request);
    if (!response) return void socket.destroy();
    if (!asksForWebSocket(request, path)) return giveBack(server, request, { socket, head, response });
    upgrades.set(request, { socket, head, response });
    readTokenOfProtocols(request);
    server.emit('request', request, response);
  });
}

export const upgradeOf = (request: IncomingMessage): Upgrade | undefined => upgrades.get(request);

/**
 * Returns undefined where the connection still owes answers to earlier requests, which no client of
 * a WebSocket sends.
 */
function responseOver(socket: Socket, request: IncomingMessage): ServerResponse | undefined {
  const response = new ServerResponse(request);
  try {
    response.assignSocket(socket);
  } catch {
    return undefined;
  }
  response.shouldKeepAlive = false;
  return response.on('finish', () => socket.destroySoon());
}

function asksForWebSocket({ method, url, headers }: IncomingMessage, path: string): boolean {
  return method === 'GET' && url!.split('?', 1)[0] === path && headers.upgrade?.toLowerCase() === 'websocket';
}

/** Scripts in browsers can choose subprotocols, but not headers. */
function readTokenOfProtocols({ headers }: IncomingMessage): void {
  const token = BEARER_PROTOCOL.exec(headers['sec-websocket-protocol'] ?? '')?.[1];
  if (token !== undefined) headers.authorization ??= `Bearer ${token}`;
}

/** Gives the request back to the server, which reads it again without its wish to upgrade. */
function giveBack(server: Server, request: IncomingMessage, { socket, head, response }: Upgrade): void {
  response.detachSocket(socket);
  socket.removeAllListeners('error');
  socket.unshift(Buffer.concat([Buffer.from(textOf(request), 'latin1'), head]));
  server.emit('connection', socket);
}

function textOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
