import { once } from 'node:events';
import type { WebSocket } from 'ws';
import { gatewaySocket } from '../harness/gateway-client';
import type { Asker, Reply } from './load';

export class GatewayLoad implements Asker {
  private awaited?: { resolve: (reply: Reply) => void; reject: (error: Error) => void };

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (text: Buffer) => {
      const { status, body } = JSON.parse(text.toString()) as { status: number; body: object };
      this.awaited?.resolve({ status, body: JSON.stringify(body) });
    });
    socket.on('close', () => this.awaited?.reject(new Error('The server closed the connection.')));
  }

  /** @param from the address of the client: every address of 127.0.0.0/8 is this machine */
  static async open(apiUrl: string, token: string, from: string): Promise<GatewayLoad> {
    const socket = gatewaySocket(apiUrl, token, { localAddress: from, perMessageDeflate: false });
    await once(socket, 'open');
    return new GatewayLoad(socket);
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  ask(frame: Buffer): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.awaited = { resolve, reject };
      this.socket.send(frame, { binary: false }, (error) => error && reject(error));
    });
  }

  close(): void {
    this.socket.terminate();
  }
}

export const grabFrame = (activityId: string): Buffer => frameOf({ id: '1', op: 'grab', activityId });

export const watchFrame = (activityIds: readonly string[]): Buffer =>
  frameOf({ id: '1', op: 'watch', activityIds });

const frameOf = (fields: object): Buffer => Buffer.from(JSON.stringify(fields));
