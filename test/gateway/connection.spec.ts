import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { GatewayConnection, PINGS_MAX } from '../../src/extensions/gateway/gateway-connection';
import { COUNTS_AS, readFrame } from '../../src/extensions/gateway/frame';
import { FrameReply } from '../../src/extensions/gateway/frame-reply';
import { FrameService } from '../../src/extensions/gateway/frame.service';
import { Room } from '../../src/extensions/gateway/room';
import type { AppConfig } from '../../src/platform/config';
import type { Session } from '../../src/platform/http';
import { RateLimits } from '../../src/platform/http/rate-limit/rate-limits';
import { Sessions } from '../../src/platform/http/websocket/sessions';
import { Metrics } from '../../src/platform/telemetry';

let server: WebSocketServer;

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
});
afterEach(() => {
  for (const socket of server.clients) socket.terminate();
  server.close();
});

/** Opens a connection whose frames stay unanswered until the functions in `asked` are called. */
async function open(options: { autoPong?: boolean } = {}) {
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, 'connection') as Promise<[WebSocket]>;
  const client = new WebSocket(`ws://127.0.0.1:${port}`, options);
  const [[socket]] = await Promise.all([accepted, once(client, 'open')]);
  const asked: (() => void)[] = [];
  const frames = { answerFrame: () => new Promise<void>((resolve) => asked.push(resolve)) };
  const connection = new GatewayConnection(socket, {} as Session, frames as unknown as FrameService);
  return { client, socket, connection, asked };
}

const codeOf = async (client: WebSocket): Promise<number> => (await once(client, 'close'))[0] as number;

describe('a connection of the gateway', () => {
  it('is kept while its client answers pings', async () => {
    const { socket, connection } = await open();
    for (let i = 0; i < 3; i++) {
      const answered = once(socket, 'pong');
      connection.beat();
      await answered;
    }
    expect(connection.isOpen).toBe(true);
  });

  it('is cut at the second ping if its client did not answer the first', async () => {
    const { client, connection } = await open({ autoPong: false });
    connection.beat();
    await once(client, 'ping');
    expect(connection.isOpen).toBe(true);
    const code = codeOf(client);
    connection.beat();
    expect(await code).toBe(1006);
  });

  it('ends after its frames are answered when the server shuts down, and reads no more frames', async () => {
    const { client, connection, asked } = await open();
    client.send('{"id":"1","op":"ping"}');
    client.send('{"id":"2","op":"ping"}');
    while (asked.length < 2) await new Promise(setImmediate);
    connection.leave();
    client.send('{"id":"3","op":"ping"}');
    asked[0]!();
    await new Promise(setImmediate);
    expect(connection.isOpen).toBe(true);
    const code = codeOf(client);
    asked[1]!();
    expect(await code).toBe(1001);
    expect(asked).toHaveLength(2);
  });

  it('has news only for its last `watch`, and none once it is being closed', async () => {
    const { socket, connection } = await open();
    const former = connection.beginNews();
    const news = connection.beginNews();
    expect([former.isOpen, news.isOpen]).toEqual([false, true]);
    socket.close();
    expect(news.isOpen).toBe(false);
  });

  it('changes what it watches in the order in which its client asked, even if the last is found first', async () => {
    const { connection } = await open();
    const done: string[] = [];
    let find!: () => void;
    const first = connection.inTurn(async () => {
      await new Promise<void>((resolve) => (find = resolve));
      done.push('first');
    });
    const refused = connection
      .inTurn(() => Promise.reject(new Error('refused')))
      .catch(() => done.push('refused'));
    const last = connection.inTurn(() => Promise.resolve(done.push('last')));
    await new Promise(setImmediate);
    find();
    await Promise.all([first, refused, last]);
    expect(done).toEqual(['first', 'refused', 'last']);
  });

  it('ends if its client only sends pings', async () => {
    const { client } = await open();
    const code = codeOf(client);
    for (let i = 0; i <= PINGS_MAX; i++) client.ping();
    expect(await code).toBe(4429);
  });
});

it('a server takes as many connections as its settings say, whoever they are of, and one more when one has ended', () => {
  const most = { GATEWAY_CONNECTIONS_PER_USER_MAX: 9, GATEWAY_CONNECTIONS_PER_ADDRESS_MAX: 9 };
  const room = new Room({ ...most, GATEWAY_CONNECTIONS_MAX: 2 } as AppConfig);
  const of = (userId: string, via?: string) =>
    ({ caller: { userId, role: 'user', via }, address: userId }) as unknown as Session;
  for (const session of [of('ann'), of('bob', 'shop')]) {
    room.require(session);
    room.take(session);
  }
  for (const session of [of('cem'), of('cem', 'shop')])
    expect(() => room.require(session)).toThrow('takes no more connections');
  room.leave(of('ann'));
  expect(() => room.require(of('cem'))).not.toThrow();
});

it.each(Object.entries(COUNTS_AS))(
  'a frame "%s" takes %i from what is left of the limit of its user',
  async (op, weight) => {
    const limit = 20;
    const config = { RATE_LIMIT_USER_PER_SECOND: limit, RATE_LIMIT_ADDRESS_PER_SECOND: limit };
    const limits = new RateLimits(config as never);
    const sessions = new Sessions({ count: () => undefined } as never, {} as never, limits);
    const caller = { userId: 'ann', role: 'user' };
    const session = { caller, address: '::1', verified: { endsAtSeconds: Infinity, againAtMs: Infinity } };
    // What the frame asks for fails here, and counts all the same.
    const problems = { sendException: () => undefined };
    const none = {} as never;
    const frames = new FrameService(sessions, problems as never, none, none, new Metrics());
    jest.spyOn(Date, 'now').mockReturnValue(0);
    await frames.answerFrame(
      { session } as never,
      readFrame(`{"id":"1","op":"${op}"}`),
      new FrameReply('1', () => undefined),
    );
    expect(limits.user.take('ann', 0, 0)).toBe(limit - weight);
    jest.restoreAllMocks();
  },
);
