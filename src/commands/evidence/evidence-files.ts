import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ArchivedFile } from './archive';

interface Listed {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The files of an evidence archive while they are collected in a directory, each with its hash. */
export class EvidenceFiles {
  private readonly listed: Listed[] = [];
  private readonly kept: ArchivedFile[] = [];

  constructor(private readonly directory: string) {}

  async addText(name: string, text: string): Promise<void> {
    await this.add(name, [text]);
  }

  addJson(name: string, value: unknown): Promise<void> {
    return this.addText(name, `${JSON.stringify(value, null, 2)}\n`);
  }

  /** Adds values as NDJSON, as they come. */
  addLines(name: string, values: AsyncIterable<unknown>): Promise<void> {
    return this.add(name, asLines(values));
  }

  /** Returns all files, with a list of them at the end, and the hash of that list. */
  async all(about: object): Promise<readonly ArchivedFile[]> {
    const manifest = `${JSON.stringify({ ...about, files: this.listed }, null, 2)}\n`;
    await this.keep('manifest.json', manifest);
    await this.keep('manifest.sha256', `${createHash('sha256').update(manifest).digest('hex')}\n`);
    return this.kept;
  }

  private async add(name: string, texts: Iterable<string> | AsyncIterable<string>): Promise<void> {
    const hash = createHash('sha256');
    const counted = { bytes: 0 };
    const path = this.pathOf(name);
    await pipeline(Readable.from(measured(texts, hash, counted)), createWriteStream(path, { mode: 0o600 }));
    this.listed.push({ name, ...counted, sha256: hash.digest('hex') });
    this.kept.push({ name, path });
  }

  private async keep(name: string, text: string): Promise<void> {
    const path = this.pathOf(name);
    await writeFile(path, text, { mode: 0o600 });
    this.kept.push({ name, path });
  }

  private readonly pathOf = (name: string): string => join(this.directory, name);
}

async function* measured(
  texts: Iterable<string> | AsyncIterable<string>,
  hash: Hash,
  counted: { bytes: number },
): AsyncGenerator<Buffer> {
  for await (const text of texts) {
    const bytes = Buffer.from(text);
    hash.update(bytes);
    counted.bytes += bytes.length;
    yield bytes;
  }
}

async function* asLines(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`;
}

/**
 * Reads the lines of an export, without its last one.
 * @throws Error if the export is incomplete
 */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  let rows = 0;
  let end: { end?: boolean; rows?: number } = {};
  for await (const line of createInterface({ input: Readable.from(bytes), crlfDelay: Infinity })) {
    const value = JSON.parse(line) as { end?: boolean; rows?: number };
    if (value.end === true) end = value;
    else {
      rows += 1;
      yield value;
    }
  }
  if (end.rows !== rows) throw new Error('An export is incomplete: its last line is missing.');
}
