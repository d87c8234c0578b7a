import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { GIVE_UP_AFTER_MS, RETRY_AFTER_MS, tokenOf } from './api-call';
import type { System } from './system';

const EXPORTS = ['results', 'claims', 'payouts', 'ledger'];
const LISTS = ['audit-log?limit=100', 'code-pools', 'currencies', 'overview', 'dead-letters'];

/**
 * Looks for a pool's codes wherever a rain leaves something, for all of them in one pass: every code begins with
 * the same mark, which nothing else contains. The mark is found in plain text, in hex and in base64.
 */
export class CodeSearch {
  /** Number of messages that the webhook has received. */
  messages = 0;
  private readonly marks: RegExp;
  private readonly marksLength: number;
  private readonly found = new Set<string>();
  private readonly seen = new Set<string>();
  private readonly ending = new AbortController();
  private searched = 0;

  private constructor(
    private readonly system: System,
    private readonly server: Server,
    mark: string,
    /** Something that appears nearly everywhere, so that a search that sees nothing is noticed. */
    private readonly common: RegExp,
  ) {
    const written = [mark, Buffer.from(mark).toString('hex'), ...inBase64(mark)];
    this.marks = new RegExp(written.join('|').replaceAll('+', '\\+'));
    this.marksLength = Math.max(...written.map(({ length }) => length));
  }

  /** Receives the messages of a webhook from now on. */
  static async begin(system: System, mark: string, common: RegExp): Promise<CodeSearch> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const search = new CodeSearch(system, server, mark, common);
    server.on('request', (request, response) => {
      search.look('a webhook', JSON.stringify(request.headers));
      void search.read('a webhook', request).catch(() => undefined);
      request.on('end', () => {
        search.messages += 1;
        response.writeHead(204).end();
      });
    });
    return search;
  }

  get webhookUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/codes`;
  }

  /** Hears the events of a user until the end, through restarts of the API. */
  async listen(userId: string): Promise<void> {
    while (!this.ending.signal.aborted) {
      const stream = this.bodyOf('me/events', tokenOf(userId), this.ending.signal);
      await stream.then((bytes) => this.read('an event', bytes)).catch(() => undefined);
      await pause(RETRY_AFTER_MS);
    }
  }

  /** Looks at everything that can be read or was written. Returns the faults. */
  async end(activityIds: readonly string[], currency: string): Promise<string[]> {
    const exported = activityIds.flatMap((id) => EXPORTS.map((file) => `activities/${id}/export/${file}`));
    for (const path of [...exported, ...LISTS, `wallets/sponsor/entries?currency=${currency}&limit=100`])
      await this.read(path, await this.bodyOf(path, tokenOf('operator', 'operator')));
    await this.searchTables();
    await this.searchRedis();
    for (const entry of await readdir(this.system.directory, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (entry.isFile()) await this.read(file, createReadStream(file));
    }
    this.ending.abort();
    this.server.close();
    this.server.closeAllConnections();
    const seen = [...this.seen];
    const surely = [
      'a webhook',
      'an event',
      'table claim',
      'Redis',
      ...exported.filter((path) => path.endsWith('claims')),
    ];
    return [
      ...Array.from(this.found, (place) => `codes appear in ${place}`),
      ...surely
        .filter((place) => !seen.some((other) => other.startsWith(place)))
        .map((place) => `nothing was seen in ${place}`),
    ];
  }

  get searchedMiB(): number {
    return Math.round(this.searched / 1_048_576);
  }

  private async bodyOf(
    path: string,
    token: string,
    signal = AbortSignal.timeout(GIVE_UP_AFTER_MS),
  ): Promise<AsyncIterable<Uint8Array>> {
    const headers = { authorization: `Bearer ${token}` };
    const { status, body } = await fetch(`${this.system.apis[0]!.url}/v1/${path}`, { headers, signal });
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    return body!;
  }

  private async read(place: string, stream: AsyncIterable<Uint8Array>): Promise<void> {
    let tail = '';
    for await (const bytes of stream) {
      const text = tail + Buffer.from(bytes).toString('latin1');
      this.look(place, text);
      tail = text.slice(-this.marksLength);
    }
  }

  private look(place: string, text: string): void {
    this.searched += text.length;
    if (this.marks.test(text)) this.found.add(place);
    if (this.common.test(text)) this.seen.add(place);
  }

  /** Reads the rows as a dump would: in the files they may be compressed. */
  private async searchTables(): Promise<void> {
    const { postgres } = this.system;
    const tables = await postgres.sql<{ name: string }>(
      `select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    );
    for (const { name } of tables)
      for (const { row } of await postgres.sql<{ row: string }>(`select t::text as row from ${name} as t`))
        this.look(`table ${name}`, row);
  }

  /** Includes the queues. While a rain is open, Redis has its winners. */
  searchRedis(): Promise<void> {
    return this.system.redis.use(async (redis) => {
      await redis.config('SET', 'rdbcompression', 'no');
      for await (const keys of redis.scanStream({ count: 1_000 }) as AsyncIterable<string[]>)
        for (const key of keys) {
          const value = await redis.dumpBuffer(key);
          this.look('Redis', key + (value?.toString('latin1') ?? ''));
        }
    });
  }
}

/** A text in base64 at each of the three offsets, without characters that share bits with its neighbours. */
const inBase64 = (text: string): string[] =>
  [0, 1, 2].map((before) => {
    const encoded = Buffer.from(' '.repeat(before) + text).toString('base64');
    return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + text.length) * 8) / 6));
  });
