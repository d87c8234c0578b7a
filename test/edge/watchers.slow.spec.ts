import { Logger, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Redis } from 'ioredis';
import { Inboxes, MessageStream, OwnRedis, ShardJournals } from '../../libs/redis-scripts';
import { RedisMemoryModule } from '../../src/core/dispenser';
import { JournalBacklog } from '../../src/core/grab/journal/journal-backlog';
import { NotificationBudget } from '../../src/extensions/notification/notification-budget';
import { REDIS, RedisModule } from '../../src/platform/redis';
import { ScheduleModule } from '../../src/platform/schedule';
import { TelemetryModule } from '../../src/platform/telemetry';
import { startTestRedis, waitFor } from '../harness/engines';
import { TcpProxy } from '../harness/tcp-proxy';
import { startEdge } from './edge-app';

const WAITING_MAX = 1_000;

/** The two without the modules around them, which need Postgres. */
@Module({
  imports: [RedisMemoryModule],
  providers: [
    {
      provide: ShardJournals,
      inject: [REDIS],
      useFactory: (redis: Redis) => new ShardJournals(new OwnRedis(redis, 2)),
    },
    ...[MessageStream, Inboxes].map((Part) => ({
      provide: Part,
      inject: [REDIS],
      useFactory: (redis: Redis) => new Part(redis, WAITING_MAX),
    })),
    JournalBacklog,
    NotificationBudget,
  ],
})
class WatchersModule {}

const NAMES = ['JournalBacklog', 'NotificationBudget'];

let engine: Awaited<ReturnType<typeof startTestRedis>>;
let proxy: TcpProxy;
let app: NestFastifyApplication;
const lines: string[] = [];
const looks = [
  jest.spyOn(JournalBacklog.prototype, 'measureJournals'),
  jest.spyOn(NotificationBudget.prototype, 'measureWaiting'),
];

beforeAll(async () => {
  const keep = (line: unknown) => void lines.push(String(line));
  jest.spyOn(Logger.prototype, 'error').mockImplementation(keep);
  jest.spyOn(Logger.prototype, 'log').mockImplementation(keep);
  engine = await startTestRedis();
  const through = await TcpProxy.before(engine.url);
  proxy = through.proxy;
  const imports = [RedisModule, TelemetryModule, ScheduleModule, WatchersModule];
  app = await startEdge({ REDIS_URL: through.url }, { imports });
});

afterAll(async () => {
  await app.close();
  await proxy.stop();
  await engine.stop();
  jest.restoreAllMocks();
});

const linesOf = (name: string) => lines.filter((line) => line.startsWith(name));

it('a metric of Redis logs one line when Redis goes down and one line when it is back, without a stack', async () => {
  await waitFor(() => looks.every((look) => look.mock.calls.length > 1), { what: 'the first checks' });
  proxy.mode = 'refuse';
  proxy.reset();
  looks.forEach((look) => look.mockClear());
  await waitFor(() => looks.every((look) => look.mock.calls.length > 4), { what: 'checks without Redis' });
  proxy.heal();
  await waitFor(() => NAMES.every((name) => lines.includes(`${name} works again.`)), {
    what: 'both to recover',
  });
  for (const name of NAMES)
    expect(linesOf(name)).toEqual([expect.stringMatching(`^${name} fails: .+$`), `${name} works again.`]);
});
