import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy without WebSockets: it passes requests on without their Upgrade header. */
export class OldProxy {
  private constructor(private readonly server: Server) {}

  static async start(upstream: string): Promise<OldProxy> {
    const server = createServer((asked, answer) => {
      const { upgrade: _, connection: __, ...headers } = asked.headers;
      const passedOn = request(upstream + asked.url, { method: asked.method, headers }, (answered) => {
        answer.writeHead(answered.statusCode!, answered.headers);
        answered.pipe(answer);
      });
      passedOn.on('error', () => answer.destroy());
      answer.on('close', () => passedOn.destroy());
      asked.pipe(passedOn);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new OldProxy(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
