import { BoundedLogger } from './bounded-logger';

describe('the log', () => {
  let nowMs: number;
  let written: string[];
  let log: BoundedLogger;

  beforeEach(() => {
    nowMs = 0;
    written = [];
    log = new BoundedLogger({ json: true, logLevels: ['log', 'warn', 'error', 'fatal'] }, () => nowMs);
    const keep = (line: unknown) =>
      written.push((JSON.parse(String(line)) as { message: string }).message) > 0;
    jest.spyOn(process.stdout, 'write').mockImplementation(keep);
    jest.spyOn(process.stderr, 'write').mockImplementation(keep);
  });

  afterEach(() => jest.restoreAllMocks());

  it('the log has one line of a kind per second, and the next line says how many were left out', () => {
    for (let claim = 0; claim < 5_000; claim++) log.warn(`Claim ${claim} failed: away`, 'Settlement');
    expect(written).toEqual(['Claim 0 failed: away']);
    nowMs += 1_000;
    log.warn('Claim 7 failed: away', 'Settlement');
    expect(written.slice(1)).toEqual(['Claim 7 failed: away', '4999 lines like this one were left out.']);
  });

  it('the log has every line that differs in more than numbers, in its context or in its level', () => {
    log.warn('Claim 1 failed: away', 'Settlement');
    log.warn('Claim 1 failed: full', 'Settlement');
    log.warn('Claim 1 failed: away', 'Sweep');
    log.error('Claim 1 failed: away', undefined, 'Sweep');
    expect(written).toHaveLength(4);
  });

  it('a stack is left out together with its line', () => {
    const readable = new BoundedLogger({ colors: false }, () => nowMs);
    const lines: string[] = [];
    const keep = (line: unknown) => lines.push(String(line)) > 0;
    jest.spyOn(process.stdout, 'write').mockImplementation(keep);
    jest.spyOn(process.stderr, 'write').mockImplementation(keep);
    for (let time = 0; time < 3; time++) readable.error('away', 'Error: away\n    at here', 'Settlement');
    expect(lines.filter((line) => line.includes('at here'))).toHaveLength(1);
  });

  it('the log has every fatal line', () => {
    for (let time = 0; time < 3; time++) log.fatal('This process ends.');
    expect(written).toHaveLength(3);
  });

  it('the log remembers a bounded number of kinds, however many a stranger makes', () => {
    for (let kind = 0; kind < 10_000; kind++) log.warn(`Refused ${'x'.repeat(kind % 190)}${kind % 7}${kind}`);
    for (let kind = 0; kind < 3_000; kind++) log.warn(String.fromCodePoint(0x4e00 + kind));
    expect(log['windows'].size).toBeLessThanOrEqual(1_000);
  });
});
