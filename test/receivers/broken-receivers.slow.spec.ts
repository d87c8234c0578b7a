import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrokenReceiver, BROKEN_RECEIVERS } from './broken-receivers';
import { exampleOf, NODE } from './languages';
import { ReceiverProgram } from './receiver-program';

let directory: string;

beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'hongbao-broken-'))));
afterAll(() => rmSync(directory, { recursive: true }));

function written({ from, to }: BrokenReceiver): string {
  const parts = readFileSync(exampleOf(NODE), 'utf8').split(from);
  if (parts.length !== 2) throw new Error(`The receiver has ${parts.length - 1} times: ${from}`);
  const file = join(directory, 'receiver.mjs');
  writeFileSync(file, parts.join(to));
  return file;
}

it.each(BROKEN_RECEIVERS)('a receiver that $fault fails the checks for it', async (broken) => {
  const receiver = await ReceiverProgram.start(NODE, { file: written(broken) });
  try {
    const results = await receiver.conform();
    const failed = results.filter(({ result }) => result === 'failed').map(({ name }) => name);
    expect(failed.sort()).toEqual(broken.failed);
  } finally {
    await receiver.stop();
  }
});
