import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { UsageError } from './arguments';
import type { Command } from './command';

const PATHS = {
  claims: '/v1/activities/{id}/export/claims',
  ledger: '/v1/activities/{id}/export/ledger',
  payouts: '/v1/activities/{id}/export/payouts',
  results: '/v1/activities/{id}/export/results',
} as const;

const MEDIA_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

/** The last line of NDJSON, and the bytes at the end that surely contain it. */
const END = /(^|\n)\{"end":true,"rows":\d+\}\n$/;
const END_BYTES_MAX = 64;

export const exportCommand: Command = {
  words: 'export',
  operands: ['claims|ledger|payouts|results', 'ID'],
  help: 'an activity as a file; exit code 1 when it is not whole',
  options: {
    format: { value: 'FORMAT', help: 'csv or ndjson; csv unless given' },
    output: { value: 'FILE', help: 'written when it is whole; standard output unless given' },
  },
  run: async (api, args) => {
    const file = args.text('output');
    if (file === undefined && args.has('json'))
      throw new UsageError('--json needs --output: the lines themselves are CSV or NDJSON.');
    const path = chosen(PATHS, args.operand(0));
    const accept = chosen(MEDIA_TYPES, args.text('format') ?? 'csv', '--format');
    const bytes = await api.stream(path, { path: { id: args.operand(1) }, accept });
    const lines = accept === MEDIA_TYPES.ndjson ? toItsEnd(bytes) : uncut(bytes);
    if (file === undefined) return void (await pipeline(lines, process.stdout, { end: false }));
    await writeWhole(file, (part) => pipeline(lines, createWriteStream(part)));
    return { value: { file }, text: `Wrote ${file}.` };
  },
};

function chosen<T extends object>(from: T, name: string, what = 'What to export'): T[keyof T] {
  if (Object.hasOwn(from, name)) return from[name as keyof T];
  throw new UsageError(`${what} must be one of ${Object.keys(from).join(', ')}.`);
}

/** A temporary name makes a file of this name always a whole export. */
async function writeWhole(file: string, write: (part: string) => Promise<void>): Promise<void> {
  const part = `${file}.${process.pid}.part`;
  try {
    await write(part);
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
}

/** Fails when the connection ended before the answer did. */
async function* uncut(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw new Error('The export is not whole: the connection was cut', { cause: error });
  }
}

/** Fails also when the answer has no last line. */
async function* toItsEnd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let end = Buffer.alloc(0);
  for await (const chunk of uncut(chunks)) {
    end = Buffer.concat([end, chunk.subarray(-END_BYTES_MAX)]).subarray(-END_BYTES_MAX);
    yield chunk;
  }
  if (!END.test(end.toString())) throw new Error('The export is not whole: its last line is missing.');
}
