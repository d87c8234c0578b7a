import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RedisKeys } from '../../../libs/redis-scripts';
import { waitFor } from '../../harness/engines';
import type { RedisCluster } from '../../harness/redis-cluster';

/** A packet that a script has given to a user, at an instant of the server that ran it. */
export interface Drawn {
  readonly activityId: string;
  readonly part: number;
  readonly userId: string;
  readonly packetNo: number;
  readonly atMs: number;
}

/**
 * The journals of a cluster, from the append-only files of all its servers. Redis writes each entry
 * there with the id that it gave it, which begins with the server's own milliseconds, before it
 * answers. Entries that were removed since, or that a failover has lost, are still in a file.
 */
export class JournalFiles {
  private constructor(private readonly dirs: readonly string[]) {}

  /** Begins the files of all servers. They never become shorter, and no disk keeps a script waiting. */
  static async begin(nodes: RedisCluster): Promise<JournalFiles> {
    await nodes.callAll('CONFIG', 'SET', 'appendfsync', 'no');
    await nodes.callAll('CONFIG', 'SET', 'auto-aof-rewrite-percentage', '0');
    await nodes.callAll('CONFIG', 'SET', 'appendonly', 'yes');
    const begun = async () => (await nodes.callAll('INFO', 'persistence')).every(isWriting);
    await waitFor(begun, { what: 'append-only files of all servers' });
    const answers = (await nodes.callAll('CONFIG', 'GET', 'dir')) as [string, string][];
    return new JournalFiles(answers.map(([, dir]) => join(dir, 'appendonlydir')));
  }

  /** Replicas have the same entries as their masters, so the same draw may come twice. */
  read(keys: RedisKeys): Drawn[] {
    const shards = new Map(keys.shards.map((shard) => [keys.journal(shard), shard]));
    return this.files().flatMap((file) =>
      entriesIn(readFileSync(file)).flatMap(([key, id, fields]) => {
        const shard = shards.get(key);
        return shard === undefined ? [] : drawnBy(keys, shard, Number.parseInt(id, 10), fields);
      }),
    );
  }

  private files(): string[] {
    return this.dirs.flatMap((dir) =>
      readdirSync(dir)
        .filter((name) => name.endsWith('.incr.aof'))
        .map((name) => join(dir, name)),
    );
  }
}

const isWriting = (info: unknown): boolean =>
  ['aof_enabled:1', 'aof_rewrite_in_progress:0', 'aof_rewrite_scheduled:0'].every((fact) =>
    String(info).includes(fact),
  );

/** Fields are the activity and its winners, in turn; `v<format>` and an empty value may come first. */
function drawnBy(keys: RedisKeys, shard: number, atMs: number, fields: readonly string[]): Drawn[] {
  const drawn: Drawn[] = [];
  for (let i = /^v\d+$/.test(fields[0] ?? '') ? 2 : 0; i < fields.length; i += 2) {
    const activityId = fields[i]!.split(' ')[0]!;
    const { part } = keys.placeIn(activityId, shard);
    const words = fields[i + 1]!.split(' ');
    for (let word = 0; word < words.length; word += 2) {
      const packetNo = Number.parseInt(words[word + 1]!, 10);
      drawn.push({ activityId, part, userId: words[word]!, packetNo, atMs });
    }
  }
  return drawn;
}

type Entry = [key: string, id: string, fields: string[]];

/** A process that is killed may leave its last command unfinished: that one is left out. */
function entriesIn(bytes: Buffer): Entry[] {
  const entries: Entry[] = [];
  let at = 0;
  const number = () => {
    const end = bytes.indexOf('\r\n', at);
    const value = Number(bytes.toString('latin1', at + 1, end));
    at = end < 0 ? Infinity : end + 2;
    return value;
  };
  const word = () => {
    const length = number();
    const text = bytes.toString('latin1', at, at + length);
    at += length + 2;
    return text;
  };
  while (at < bytes.length) {
    const words: string[] = [];
    for (let left = number(); left > 0 && at < bytes.length; left--) words.push(word());
    if (at <= bytes.length && words[0] === 'XADD') entries.push([words[1]!, words[2]!, words.slice(3)]);
  }
  return entries;
}
