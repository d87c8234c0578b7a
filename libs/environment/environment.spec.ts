import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from './index';

describe('a secret in a file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'hongbao-environment-'));
  const file = join(directory, 'secret');
  const before = { ...process.env };

  beforeEach(() => {
    delete process.env.JWT_SECRET;
    process.env.JWT_SECRET_FILE = file;
  });

  afterEach(() => {
    process.env = { ...before };
  });

  afterAll(() => rmSync(directory, { recursive: true }));

  it('is read without the line break at its end, and only for this program', () => {
    writeFileSync(file, ' two words\n');
    expect(readEnvironment().JWT_SECRET).toBe(' two words');
    expect(process.env.JWT_SECRET).toBeUndefined();
  });

  it('is read again, like a separate password, by a program that is started with the values read', () => {
    writeFileSync(file, 'two words\n');
    Object.assign(process.env, { DATABASE_URL: 'postgres://ann@db/rain', DATABASE_PASSWORD: 'a/b' });
    const read = readEnvironment();
    process.env = { ...read };
    expect(readEnvironment()).toEqual(read);
    expect(read).toMatchObject({ JWT_SECRET: 'two words', DATABASE_URL: 'postgres://ann:a%2Fb@db/rain' });
  });

  it('is refused together with the variable itself', () => {
    process.env.JWT_SECRET = 'other';
    expect(() => readEnvironment()).toThrow('JWT_SECRET and JWT_SECRET_FILE are both set: leave one out.');
  });

  it('that cannot be read is named by its variable', () => {
    process.env.JWT_SECRET_FILE = join(directory, 'missing');
    expect(() => readEnvironment()).toThrow('JWT_SECRET_FILE names a file that cannot be read (ENOENT).');
  });
});
