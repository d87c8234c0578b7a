import { Writable } from 'node:stream';
import { LostLines, mayLoseLines } from './lost-lines';
import { Metrics } from './metrics';

const metrics = new Metrics();
new LostLines(metrics);

async function lost(): Promise<number> {
  const [, count] = /^hongbao_log_lines_lost_total (\d+)$/m.exec(await metrics.expose())!;
  return Number(count);
}

/** Node's standard output stays open after a failed write. */
function logTo(write: Writable['_write']): Writable {
  const stream = new Writable({ write, autoDestroy: false });
  mayLoseLines(stream);
  return stream;
}

const written = (stream: Writable, line: string): Promise<Error | null | undefined> =>
  new Promise((resolve) => stream.write(line, resolve));

describe('a log that cannot be written', () => {
  it('loses the line, counts it, and reports it only to the writer', async () => {
    const before = await lost();
    const stream = logTo((_line, _encoding, done) => done(new Error('ENOSPC')));
    expect(await written(stream, 'a line\n')).toEqual(new Error('ENOSPC'));
    expect((await lost()) - before).toBe(1);
  });

  it('loses lines beyond a bound while its reader has stalled, and counts them', async () => {
    const before = await lost();
    const stream = logTo(() => undefined);
    const line = 'x'.repeat(1_023) + '\n';
    for (let i = 0; i < 3_000; i += 1) stream.write(line, 'utf8');
    await expect(written(stream, line)).resolves.toEqual(new Error('the reader of the log stands still'));
    expect(stream.writableLength).toBeLessThan(1_100_000);
    expect((await lost()) - before).toBe(3_001 - stream.writableLength / line.length);
  });
});
