import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { redisBinary } from '../../src/dev/engines';

/** A timestamp between two commands, and its length in bytes. */
const TIME = /#TS:\d+\r\n/g;
const TIME_BYTES = '#TS:1795412965\r\n'.length;

/** The newest append-only file of a Redis. It may be changed only while Redis is stopped. */
export class AppendOnlyFile {
  constructor(private readonly redisDir: string) {}

  get size(): number {
    return statSync(this.path).size;
  }

  /**
   * Ends the file earlier, as a power loss does, but never within a timestamp: only these tests make
   * Redis write timestamps, and Redis 7.0 cannot read a file that ends in one.
   */
  truncate(size: number): void {
    const [time] = this.secondsSince(Math.max(0, size - TIME_BYTES + 1));
    truncateSync(this.path, time === undefined ? size : Math.min(size, time));
  }

  overwrite(at: number, bytes: Uint8Array): void {
    const file = openSync(this.path, 'r+');
    writeSync(file, bytes, 0, bytes.length, at);
    closeSync(file);
  }

  /** Positions of the first command of each second, from `size` on. */
  secondsSince(size: number): number[] {
    return this.placesOf(TIME, size);
  }

  lengthsSince(size: number): number[] {
    return this.placesOf(/\$\d+\r\n/g, size);
  }

  /** Cuts off everything from the first damage on, as an operator does. */
  async repair(localDir: string): Promise<void> {
    const { command, env } = await redisBinary(localDir);
    const checker = join(dirname(command), basename(command).replace('server', 'check-aof'));
    const manifest = join(this.directory, 'appendonly.aof.manifest');
    execFileSync(checker, ['--fix', manifest], { env, input: 'y\n', stdio: ['pipe', 'ignore', 'pipe'] });
  }

  private placesOf(pattern: RegExp, from: number): number[] {
    const text = readFileSync(this.path).subarray(from).toString('latin1');
    return Array.from(text.matchAll(pattern), (match) => from + match.index);
  }

  private get path(): string {
    const files = existsSync(this.directory) ? readdirSync(this.directory) : [];
    const written = files.filter((name) => name.endsWith('.incr.aof')).sort(byNumber);
    return join(this.directory, written.at(-1)!);
  }

  private get directory(): string {
    return join(this.redisDir, 'appendonlydir');
  }
}

const numberOf = (name: string): number => Number(/\.(\d+)\.incr/.exec(name)?.[1]);
const byNumber = (a: string, b: string): number => numberOf(a) - numberOf(b);
