import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { TcpProxy } from './tcp-proxy';

const HOST = '127.0.0.1';

let upstream: Server;
let proxy: TcpProxy;
const accepted: Socket[] = [];

/** Starts a server that echoes whatever it receives. */
async function echoServer(): Promise<Server> {
  const server = createServer((socket) => {
    accepted.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => socket.write(bytes));
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

class Client {
  received = '';
  readonly closed: Promise<unknown>;

  private constructor(readonly socket: Socket) {
    socket.on('data', (bytes) => (this.received += bytes.toString()));
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => socket.once('close', resolve));
  }

  static async connect(): Promise<Client> {
    const client = new Client(connect(proxy.port, HOST));
    await Promise.race([new Promise((resolve) => client.socket.once('connect', resolve)), client.closed]);
    return client;
  }

  async hears(text: string): Promise<void> {
    while (this.received !== text) await once(this.socket, 'data');
  }

  async asks(text: string): Promise<void> {
    this.received = '';
    this.socket.write(text);
    await this.hears(text);
  }
}

beforeEach(async () => {
  upstream = await echoServer();
  proxy = await TcpProxy.start(portOf(upstream));
});

afterEach(async () => {
  await proxy.stop();
  for (const socket of accepted.splice(0)) socket.destroy();
  upstream.close();
});

describe('the proxy', () => {
  it('keeps the order of what it delays, even if the delay shrinks in the meantime', async () => {
    const client = await Client.connect();
    await client.asks('ready');
    client.received = '';
    proxy.delayMs = 60;
    client.socket.write('slow ');
    await once(accepted[0]!, 'data');
    proxy.delayMs = 0;
    client.socket.write('quick');
    await client.hears('slow quick');
  });

  it('drops as many replies as it was asked to, each after its request has arrived', async () => {
    proxy.loseReplies(1);
    const unlucky = await Client.connect();
    unlucky.socket.write('a request');
    await unlucky.closed;
    expect(unlucky.received).toBe('');
    expect(accepted[0]!.bytesRead).toBe('a request'.length);
    await (await Client.connect()).asks('another request');
  });

  it('leaves connections half open: alive at both ends, and carrying nothing', async () => {
    const frozen = await Client.connect();
    await frozen.asks('ready');
    frozen.received = '';
    proxy.halfOpen();
    frozen.socket.write('into the void');
    const healthy = await Client.connect();
    await healthy.asks('a new one');
    expect(frozen.received).toBe('');
    expect(frozen.socket.readyState).toBe('open');
    expect(accepted[0]!.bytesRead).toBe('ready'.length);
  });
});
