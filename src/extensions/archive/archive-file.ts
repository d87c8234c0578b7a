import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

/** The first line of a file: its activities, or its month of the audit log. */
export type ArchiveHeader = { readonly format: 1 } & (ActivityPart | AuditMonth);

/** Activities whose packets, claims and credits are in one partition of each table. */
export interface ActivityPart {
  readonly firstActivityId: string;
  readonly beyondActivityId: string;
}

export interface AuditMonth {
  /** A month of UTC, such as `2031-01`. */
  readonly month: string;
}

/** Lines in batches. */
export type Lines = AsyncIterable<readonly string[]>;

/**
 * Writes lines to a file, which gets its name once all of it is on disk. The SHA-256 of the lines,
 * each with its line feed, proves a file, however it is compressed.
 */
export async function writeArchive(file: string, header: ArchiveHeader, lines: Lines): Promise<Buffer> {
  const hash = createHash('sha256');
  const partial = `${file}.partial`;
  await pipeline(Readable.from(textOf(header, lines, hash)), createGzip(), createWriteStream(partial));
  await toDisk(partial);
  await rename(partial, file);
  await toDisk(dirname(file));
  return hash.digest();
}

/** The digest that {@link writeArchive} would return, without a file. */
export async function digestOf(header: ArchiveHeader, lines: Lines): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const text of textOf(header, lines, hash)) void text;
  return hash.digest();
}

async function* textOf(header: ArchiveHeader, pages: Lines, hash: Hash): AsyncGenerator<string> {
  const hashed = (text: string): string => {
    hash.update(text);
    return text;
  };
  yield hashed(`${JSON.stringify(header)}\n`);
  for await (const lines of pages) if (lines.length > 0) yield hashed(`${lines.join('\n')}\n`);
}

/** Flushes a file, or the names in a directory. */
async function toDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export class ArchiveReader {
  private readonly hash = createHash('sha256');

  constructor(private readonly file: string) {}

  /** @throws when the file cannot be read, is cut off, or is not compressed as it should be */
  async *lines(): AsyncGenerator<readonly string[]> {
    const source = createReadStream(this.file);
    const text = source.pipe(createGunzip()).setEncoding('utf8');
    source.on('error', (error) => text.destroy(error));
    let rest = '';
    for await (const chunk of text as AsyncIterable<string>) {
      this.hash.update(chunk);
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      yield lines;
    }
    if (rest !== '') yield [rest];
  }

  /** Only valid after the last line. */
  digest(): Buffer {
    return this.hash.digest();
  }
}
