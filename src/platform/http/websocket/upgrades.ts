import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { withoutBasePath } from '../edge/base-path';

export interface Upgrade {
  readonly socket: Socket;
  /** The bytes that it sent after its request. */
  readonly head: Buffer;
  /** A request that is not upgraded is answered over this. */
  readonly response: ServerResponse;
}

const BEARER_PROTOCOL = /(?:^|,)\s*bearer\.([^\s,]+)/;

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/**
 * Lets clients ask for a WebSocket at one path. The request passes every hook and guard like any other, and
 * its route finds the upgrade with `upgradeOf`.
 *
 * Once there is a listener, Node stops reading any request that asks for an upgrade, and some HTTP/2 clients
 * ask with every first request. Those are handed back as if they had not asked.
 */
export function allowUpgrade(server: Server, path: string, basePath: string): void {
  server.on('upgrade', (request: IncomingMessage, duplex, head) => {
    request.url = withoutBasePath(request.url!, basePath);
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

/** Undefined where the connection still owes answers, which no client of a WebSocket causes. */
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

/** The server reads the request again, without its wish to upgrade. */
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
