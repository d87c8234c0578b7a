import { connect, type Socket } from 'node:net';
import type { Asker, Reply } from './load';

const HEAD_END = '\r\n\r\n';
const TEXT = 0x81;
const PING = 0x89;
const LENGTH_OF_TWO_BYTES = 126;

/**
 * A pong without content. All masks here are zero, so that masking costs the load generator
 * nothing.
 */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);

/** A minimal client of the gateway with at most one frame under way: little code, little memory. */
export class GatewayLoad implements Asker {
  private received: Buffer = Buffer.alloc(0);
  private awaited?: { resolve: (reply: Reply) => void; reject: (error: Error) => void };

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (bytes) => this.take(bytes));
    socket.on('error', (error) => this.fail(error));
    socket.on('close', () => this.fail(new Error('The server closed the connection.')));
  }

  /** @param from the address of the client: every address of 127.0.0.0/8 is this machine */
  static open(port: number, token: string, from: string): Promise<GatewayLoad> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from });
      socket.once('error', reject);
      socket.write(handshake(token));
      socket.once('data', (bytes) => {
        const head = bytes.toString('latin1');
        socket.off('error', reject);
        if (head.startsWith('HTTP/1.1 101') && head.endsWith(HEAD_END)) resolve(new GatewayLoad(socket));
        else reject(new Error(head));
      });
    });
  }

  get isOpen(): boolean {
    return !this.socket.destroyed;
  }

  ask(frame: Buffer): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.awaited = { resolve, reject };
      if (this.socket.destroyed) this.fail(new Error('The connection is closed.'));
      else this.socket.write(frame);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private take(bytes: Buffer): void {
    this.received = this.received.length === 0 ? bytes : Buffer.concat([this.received, bytes]);
    while (this.received.length >= 2) {
      const [kind, short] = this.received;
      const isLong = short === LENGTH_OF_TWO_BYTES;
      if (isLong && this.received.length < 4) return;
      const start = isLong ? 4 : 2;
      const end = start + (isLong ? this.received.readUInt16BE(2) : short!);
      if (this.received.length < end) return;
      if (kind === PING) this.socket.write(PONG);
      else if (kind === TEXT) this.answer(this.received.toString('latin1', start, end));
      this.received = this.received.subarray(end);
    }
  }

  private answer(text: string): void {
    const { status, body } = JSON.parse(text) as { status: number; body: object };
    this.awaited?.resolve({ status, body: JSON.stringify(body) });
    this.awaited = undefined;
  }

  private fail(error: Error): void {
    this.awaited?.reject(error);
    this.awaited = undefined;
  }
}

const handshake = (token: string): string =>
  [
    'GET /v1/gateway HTTP/1.1',
    ...['Host: 127.0.0.1', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
    ...['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Protocol: hongbao.v1'],
    `Authorization: Bearer ${token}${HEAD_END}`,
  ].join('\r\n');

export const grabFrame = (activityId: string): Buffer => frameOf({ id: '1', op: 'grab', activityId });

export const watchFrame = (activityIds: readonly string[]): Buffer =>
  frameOf({ id: '1', op: 'watch', activityIds });

function frameOf(fields: object): Buffer {
  const text = Buffer.from(JSON.stringify(fields));
  const length =
    text.length < LENGTH_OF_TWO_BYTES
      ? [text.length]
      : [LENGTH_OF_TWO_BYTES, text.length >> 8, text.length & 0xff];
  const [first, ...rest] = length;
  return Buffer.concat([Buffer.from([TEXT, 0x80 + first!, ...rest, 0, 0, 0, 0]), text]);
}
