import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppendOnlyFile } from './append-only-file';

const TIME = '#TS:1795412965\r\n';
const COMMAND = '*1\r\n$4\r\nPING\r\n';
const TEXT = TIME + COMMAND + TIME + COMMAND + COMMAND;

describe('an append-only file whose tail is cut off', () => {
  const directory = mkdtempSync(join(tmpdir(), 'hongbao-aof-'));
  const path = join(directory, 'appendonlydir', 'appendonly.aof.1.incr.aof');

  afterAll(() => rmSync(directory, { recursive: true }));

  it('ends exactly at the cut, except that it never ends inside a timestamp', () => {
    mkdirSync(join(directory, 'appendonlydir'));
    const sizes = Array.from({ length: TEXT.length + 1 }, (_, size) => size);
    const left = sizes.map((size) => {
      writeFileSync(path, TEXT);
      new AppendOnlyFile(directory).truncate(size);
      return readFileSync(path, 'latin1');
    });
    for (const [size, text] of left.entries()) {
      expect(TEXT.slice(0, size).startsWith(text)).toBe(true);
      expect(text).not.toMatch(/(^|\n)#(T(S(:\d*\r?)?)?)?$/);
    }
    expect(new Set(left).size).toBe(sizes.length - 2 * (TIME.length - 1));
  });
});
