import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Command } from './command';
import { UsageError } from './options';

const OPERATIONS = {
  claims: 'exportClaims',
  ledger: 'exportLedger',
  payouts: 'exportPayouts',
  results: 'exportResults',
} as const;

/** The last line of NDJSON, and the bytes at the end that surely contain it. */
const END = /(^|\n)\{"end":true,"rows":\d+\}\n$/;
const END_BYTES_MAX = 64;

export const exportCommand: Command = {
  call: 'export <what> <id>',
  help: 'claims, ledger, payouts or results of an activity as a file; exit code 1 when it is incomplete',
  options: {
    format: { value: '<format>', help: 'csv unless given', choices: ['csv', 'ndjson'] },
    output: { value: '<file>', help: 'written once it is complete; standard output unless given' },
  },
  sends: Object.values(OPERATIONS),
  run: async (api, { operands: [what, id], values, terminal }) => {
    const file = values.output as string | undefined;
    if (file === undefined && values.json !== undefined)
      throw new UsageError('--json needs --output: the lines themselves are CSV or NDJSON.');
    const format = values.format as 'csv' | 'ndjson' | undefined;
    const bytes = await api[operationOf(what!)](id!, { format });
    const lines = format === 'ndjson' ? toItsEnd(bytes) : uncut(bytes);
    if (file === undefined) return void (await pipeline(lines, terminal.stdout, { end: false }));
    await writeWhole(file, (part) => pipeline(lines, createWriteStream(part)));
    return { value: { file }, text: `Wrote ${file}.` };
  },
};

function operationOf(what: string): (typeof OPERATIONS)[keyof typeof OPERATIONS] {
  if (Object.hasOwn(OPERATIONS, what)) return OPERATIONS[what as keyof typeof OPERATIONS];
  throw new UsageError(`What to export must be one of ${Object.keys(OPERATIONS).join(', ')}.`);
}

/** Because of a temporary name, a file of this name is always a complete export. */
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
    throw new Error('The export is incomplete: the connection was cut', { cause: error });
  }
}

/** Also fails if the answer lacks its last line. */
async function* toItsEnd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let end = Buffer.alloc(0);
  for await (const chunk of uncut(chunks)) {
    end = Buffer.concat([end, chunk.subarray(-END_BYTES_MAX)]).subarray(-END_BYTES_MAX);
    yield chunk;
  }
  if (!END.test(end.toString())) throw new Error('The export is incomplete: its last line is missing.');
}
