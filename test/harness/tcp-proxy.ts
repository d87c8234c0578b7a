import { setTimeout as pause } from 'node:timers/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const HOST = '127.0.0.1';

/** `refuse` resets new connections at once; `silent` accepts them and never answers. */
export type ProxyMode = 'open' | 'refuse' | 'silent';

/** The kind of connections whose replies are lost. */
export type ConnectionKind = 'any' | 'websocket';

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  isWebSocket: boolean;
  /** True if half open: both ends consider the connection alive, but no byte passes any more. */
  frozen: boolean;
  /** Delayed pieces, in order: none may overtake an earlier piece. */
  delayed: Promise<void>;
  delayedCount: number;
}

/** A TCP proxy whose upstream may move, and which can delay, reset, lose replies or fall silent. */
export class TcpProxy {
  mode: ProxyMode = 'open';
  /** Delay of everything that the upstream sends, in milliseconds. */
  delayMs = 0;
  /** Bytes that make a client's connection half open as soon as it sends them. */
  freezesAt?: string;
  private repliesToLose = 0;
  private losesOf: ConnectionKind = 'any';
  private readonly links = new Set<Link>();
  private readonly dangling = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private upstreamPort: number,
  ) {
    server.on('connection', (client) => this.accept(client));
  }

  static async start(upstreamPort: number): Promise<TcpProxy> {
    const server = createServer({ noDelay: true });
    const proxy = new TcpProxy(server, upstreamPort);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, HOST, resolve);
    });
    return proxy;
  }

  /** Starts a proxy of the server at a URL. Returns the URL that leads through it, too. */
  static async before(server: string): Promise<{ proxy: TcpProxy; url: string }> {
    const through = new URL(server);
    const proxy = await TcpProxy.start(Number(through.port));
    through.port = String(proxy.port);
    return { proxy, url: through.href };
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  pointAt(upstreamPort: number): void {
    this.upstreamPort = upstreamPort;
  }

  /** Resets every connection; new ones are treated as the mode says. */
  reset(): void {
    for (const link of this.links) cut(link);
    for (const socket of this.dangling) reset(socket);
  }

  hangUp(): void {
    for (const { client } of this.links) client.end();
  }

  /** Discards the next replies on connections of a kind, and resets those connections. */
  loseReplies(count: number, kind: ConnectionKind = 'any'): void {
    this.repliesToLose = count;
    this.losesOf = kind;
  }

  /** Makes existing connections carry nothing, unnoticed at either end. New connections work. */
  halfOpen(): void {
    for (const link of this.links) link.frozen = true;
  }

  /** Restores a healthy network. Half-open connections stay half open: nothing repairs them. */
  heal(): void {
    this.mode = 'open';
    this.delayMs = 0;
    this.freezesAt = undefined;
    this.repliesToLose = 0;
    for (const socket of this.dangling) reset(socket);
  }

  async stop(): Promise<void> {
    this.reset();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private accept(client: Socket): void {
    client.on('error', () => client.destroy());
    if (this.mode === 'refuse') reset(client);
    else if (this.mode === 'silent') this.leaveDangling(client);
    else this.join(client);
  }

  private leaveDangling(client: Socket): void {
    this.dangling.add(client);
    client.once('close', () => this.dangling.delete(client));
    client.resume();
  }

  private join(client: Socket): void {
    const server = connect({ port: this.upstreamPort, host: HOST, noDelay: true });
    const link: Link = {
      client,
      server,
      isWebSocket: false,
      frozen: false,
      delayed: Promise.resolve(),
      delayedCount: 0,
    };
    this.links.add(link);
    client.on('data', (bytes) => {
      if (bytes.includes('Upgrade: websocket')) link.isWebSocket = true;
      if (this.freezesAt !== undefined && bytes.includes(this.freezesAt)) link.frozen = true;
      if (!link.frozen) server.write(bytes);
    });
    server.on('data', (bytes) => this.passReply(link, bytes));
    server.on('error', () => cut(link));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.once('end', () => void (link.frozen || other.end()));
      one.once('close', () => this.closed(link, other));
    }
  }

  private passReply(link: Link, bytes: Buffer): void {
    if (link.frozen) return;
    if (this.repliesToLose > 0 && (this.losesOf === 'any' || link.isWebSocket)) {
      this.repliesToLose -= 1;
      cut(link);
    } else {
      this.forward(link, bytes);
    }
  }

  private forward(link: Link, bytes: Buffer): void {
    const write = () => void (link.client.writable && !link.frozen && link.client.write(bytes));
    if (this.delayMs === 0 && link.delayedCount === 0) return write();
    const dueAtMs = performance.now() + this.delayMs;
    link.delayedCount += 1;
    link.delayed = link.delayed
      .then(() => pause(Math.max(0, dueAtMs - performance.now())))
      .then(write)
      .finally(() => (link.delayedCount -= 1));
  }

  private closed(link: Link, other: Socket): void {
    this.links.delete(link);
    if (!link.frozen) other.destroy();
  }
}

function cut({ client, server }: Link): void {
  reset(client);
  reset(server);
}

/** A socket that is being shut down cannot be reset: the process would spin at exit. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
