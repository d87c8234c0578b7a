import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

const BLOCK = 512;
const END = Buffer.alloc(2 * BLOCK);

/** A file of an archive: its name there, and where its text is now. */
export interface ArchivedFile {
  readonly name: string;
  readonly path: string;
}

/**
 * Writes files as a tar archive (POSIX ustar) whose every byte follows from their names and contents, so that a
 * checker can tell any other byte. Returns its SHA-256 as hexadecimal digits.
 */
export async function writeArchive(path: string, files: readonly ArchivedFile[]): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(blocksOf(files, hash), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  return hash.digest('hex');
}

async function* blocksOf(
  files: readonly ArchivedFile[],
  hash: { update(data: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  for await (const bytes of bytesOf(files)) {
    hash.update(bytes);
    yield bytes;
  }
}

async function* bytesOf(files: readonly ArchivedFile[]): AsyncGenerator<Uint8Array> {
  for (const { name, path } of files) {
    const { size } = await stat(path);
    yield headerOf(name, size);
    for await (const bytes of createReadStream(path)) yield bytes as Uint8Array;
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
  }
  yield END;
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');

function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0);
  header.write(`0000644\0${'0000000\0'.repeat(2)}${octal(size, 11)}\0${octal(0, 11)}\0`, 100);
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}
