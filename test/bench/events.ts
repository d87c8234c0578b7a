import { type ClientRequest, get } from 'node:http';
import { ApiClient } from '../../libs/client';
import { install, NO_RATE_LIMITS, openActivity, operatorOf, tokenOf } from './api';
import { atMost, type Bench, type BenchResult } from './bench';
import { memoryOf, number, percentile } from './measure';
import type { Server } from './product';
import type { Stage } from './stage';
import { until } from './until';

const CONNECTIONS = 10_000;
const OPENED_AT_ONCE = 100;
const WINNERS = 500;

const WITHIN_MS = 120_000;
const MIB = 1024 * 1024;
const KIB = 1024;

export const events: Bench = {
  name: 'events',
  question: 'What do ten thousand clients that listen for their events cost, and how soon do they get them?',
  run: measureEvents,
};

async function measureEvents(stage: Stage): Promise<BenchResult> {
  const place = await install(stage);
  const [api] = [await place.api(NO_RATE_LIMITS), await place.worker()];
  const connections = stage.pick(CONNECTIONS, 1_000, 100);
  const progress = stage.progress(connections / OPENED_AT_ONCE + 1);
  const crowd = new Listeners(api);
  const before = memoryOf(api.pid).now;
  for (let i = 0; i < connections; i += OPENED_AT_ONCE) {
    await crowd.open(i, OPENED_AT_ONCE);
    progress.advance();
  }
  const perConnection = (memoryOf(api.pid).now - before) / connections;
  const heard = await hearAll(stage, api, crowd);
  const { now } = memoryOf(api.pid);
  progress.end();
  crowd.close();
  return {
    tables: [
      {
        title: `${number(connections)} clients that listen, at one API process`,
        heading: ['memory MiB', 'of which a connection KiB', 'won → heard ms p50', 'p99'],
        rows: [
          [
            number(now / MIB),
            number(perConnection / KIB),
            number(percentile(heard, 0.5)),
            number(percentile(heard, 0.99)),
          ],
        ],
        remark: `Resident memory of the API. Heard: from the answer to the grab until \`wallet.credited\` has come, ${heard.length} winners one after the other.`,
      },
    ],
    targets:
      stage.size === 'full'
        ? [atMost(`memory with ${number(connections)} clients`, 400, ' MiB', now / MIB)]
        : [],
  };
}

async function hearAll(stage: Stage, api: Server, crowd: Listeners): Promise<number[]> {
  const winners = stage.pick(WINNERS, WINNERS / 10, WINNERS / 100);
  const id = await openActivity(operatorOf(api), winners);
  const waits: number[] = [];
  for (let i = 0; i < winners; i++) {
    const user = new ApiClient(api.url, tokenOf(userOf(i)));
    await user.grabPacket(id);
    const won = performance.now();
    await until(() => crowd.credited.has(userOf(i)), 'a winner to hear of the money', WITHIN_MS, 1);
    waits.push(Math.max(0, crowd.credited.get(userOf(i))! - won));
  }
  return waits;
}

const userOf = (i: number): string => `listener${i}`;

/** Clients that keep as little as possible of the events: who was credited, and when. */
class Listeners {
  readonly credited = new Map<string, number>();
  private readonly requests: ClientRequest[] = [];
  private connected = 0;

  constructor(private readonly api: Server) {}

  async open(from: number, count: number): Promise<void> {
    for (let i = from; i < from + count; i++) this.listen(userOf(i));
    await until(() => this.connected === from + count, 'the connections', WITHIN_MS);
  }

  close(): void {
    for (const request of this.requests) request.destroy();
  }

  private listen(userId: string): void {
    const options = { agent: false, headers: { authorization: `Bearer ${tokenOf(userId)}` } };
    const request = get(`${this.api.url}/v1/me/events`, options, (response) => {
      if (response.statusCode === 200) this.connected++;
      response.on('error', () => undefined);
      response.on('data', (bytes: Buffer) => {
        if (bytes.includes('wallet.credited')) this.credited.set(userId, performance.now());
      });
    });
    request.on('error', () => undefined);
    this.requests.push(request);
  }
}
