import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A client that asks to speak another protocol over its connection. */
export interface Upgrade {
  readonly socket: Socket;
  /** What it has sent after its request. */
  readonly head: Buffer;
  /** Over this it is answered as long as it is not served what it asks for. */
  readonly response: ServerResponse;
}

const BEARER_PROTOCOL = /(?:^|,)\s*bearer\.([^\s,]+)/;

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/**
 * Lets clients ask for a WebSocket at one path, and nowhere else. The request goes the way of all others, through every hook and
 * guard, and is answered like them where it is refused. The route finds what it needs by `upgradeOf`.
 *
 * With a listener for upgrades, Node stops reading any request that asks for one, whatever it is about; some clients of HTTP/2
 * ask with each first request. Those are given back as if they had not asked.
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

/** Undefined where the connection still owes answers to earlier requests, which no client of a WebSocket sends. */
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

/** Scripts in browsers choose subprotocols, and no headers. */
function readTokenOfProtocols({ headers }: IncomingMessage): void {
  const token = BEARER_PROTOCOL.exec(headers['sec-websocket-protocol'] ?? '')?.[1];
  if (token !== undefined) headers.authorization ??= `Bearer ${token}`;
}

/** The server reads the request once more, without its wish. */
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
