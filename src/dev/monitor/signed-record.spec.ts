import fs, { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replaceFile } from './replace-file';
import { SignedRecord } from './signed-record';
import { newWitnessKey, readWitnessKey } from './witness-key';

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hongbao-witness-'));
  file = join(directory, 'key');
});

afterEach(() => rmSync(directory, { recursive: true }));

const signed = (checkpoint: string) => ({ log: { checkpoint, verifierKey: 'key', at: 1 } });

describe('the record of what a key has signed', () => {
  it('holds what was written last, also when it is opened again', () => {
    const record = SignedRecord.create(file);
    expect(record.read().logs).toEqual({});
    expect(record.replace(record.read(), signed('a'))).toBe(true);
    expect(new SignedRecord(file).read().logs).toEqual(signed('a'));
    expect(readdirSync(file)).toEqual(['2.json']);
  });

  it('is replaced by only one of several monitors that have read the same revision, however long another sleeps', () => {
    const record = SignedRecord.create(file);
    const [slow, fast] = [new SignedRecord(file), new SignedRecord(file)];
    const read = slow.read();
    expect(fast.replace(fast.read(), signed('a'))).toBe(true);
    expect(slow.replace(read, signed('b'))).toBe(false);
    expect(fast.replace(fast.read(), signed('c'))).toBe(true);
    expect(fast.replace(fast.read(), signed('d'))).toBe(true);
    expect(slow.replace(read, signed('b'))).toBe(false);
    expect(record.read().logs).toEqual(signed('d'));
  });

  it('is read back before anything is signed', () => {
    const record = SignedRecord.create(file);
    const link = jest.spyOn(fs, 'linkSync').mockImplementationOnce((from, to) => {
      writeFileSync(from, JSON.stringify({ logs: signed('of somebody else') }));
      fs.linkSync(from, to);
    });
    expect(record.replace(record.read(), signed('a'))).toBe(false);
    link.mockRestore();
    expect(record.read().logs).toEqual(signed('of somebody else'));
  });

  it('is not restarted when it is torn or missing: the key then signs nothing', () => {
    newWitnessKey(file, 'w.example');
    const { record } = readWitnessKey(file);
    writeFileSync(join(`${file}.signed`, '1.json'), '{"logs":');
    expect(() => record.read()).toThrow('1.json, the record of what this key has signed, cannot be read.');
    rmSync(`${file}.signed`, { recursive: true });
    expect(() => record.read()).toThrow('the record of what this key has signed, is missing.');
  });
});

it('a file is replaced however another process replaces it at the same time', () => {
  fs.mkdirSync(`${file}.new`);
  for (const text of ['a', 'b']) replaceFile(file, text);
  expect(fs.readFileSync(file, 'utf8')).toBe('b');
  expect(readdirSync(directory)).toEqual(['key', 'key.new']);
});

describe('the key of a witness', () => {
  it('is readable only by its owner, and is never overwritten', () => {
    const { verifierKey } = newWitnessKey(file, 'w.example').signer;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readWitnessKey(file).signer.verifierKey).toBe(verifierKey);
    expect(() => newWitnessKey(file, 'w.example')).toThrow('exists already');
  });

  it.each([
    [undefined, '--name is missing'],
    ['two words', '--name is not a name'],
    ['a+b', '--name is not a name'],
  ])('has a name that a note can have, not %s', (name, message) => {
    expect(() => newWitnessKey(file, name)).toThrow(message);
  });

  it('is refused if others can read it, or if the file is another', () => {
    newWitnessKey(file, 'w.example');
    writeFileSync(join(directory, 'open'), '{}', { mode: 0o644 });
    expect(() => readWitnessKey(join(directory, 'open'))).toThrow('run chmod 600');
    writeFileSync(join(directory, 'other'), '{"name":"w"', { mode: 0o600 });
    expect(() => readWitnessKey(join(directory, 'other'))).toThrow(
      'is not a key that --new-witness-key has made',
    );
  });
});
