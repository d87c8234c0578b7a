import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DataDirLock } from '../../src/dev/local/running';
import { runProgram } from '../harness/command-line';
import { JWT_SECRET } from '../harness/installation';
import { ownDirectory } from '../harness/own-directory';
import { rain } from '../harness/shared-installation';

const PROGRAM = [resolve('dist', 'src', 'commands', 'admin.js')];
const LOCAL_PROGRAM = [resolve('dist', 'src', 'dev', 'operate.js'), 'admin'];

describe('the program of operators', () => {
  const directory = ownDirectory('admin');

  const start = (args: readonly string[], env: NodeJS.ProcessEnv, program: readonly string[] = PROGRAM) => {
    const settings = { PATH: process.env.PATH, LOCAL_DIR: directory, ...env };
    return runProgram(process.execPath, [...program, ...args], { env: settings, cwd: directory });
  };

  it('prints its version, and exits with the code of its command', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await start(['--version'], {})).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect(await start(['--versoin'], {})).toMatchObject({ code: 2, stdout: '' });
  });

  it('reports that no server answers', async () => {
    const { code, stderr } = await start(['webhooks', 'list'], {
      HONGBAO_URL: 'http://127.0.0.1:1',
      HONGBAO_TOKEN: 'x.y.z',
    });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:1 does not answer: \S.*\n$/),
    ]);
    expect(await start(['webhooks', 'list'], { HONGBAO_URL: rain.url })).toMatchObject({ code: 2 });
  });

  it('finds the system on this machine by itself, and sends its token to no other server', async () => {
    const lock = await DataDirLock.take(directory);
    const { url: apiUrl } = rain;
    lock.announce({ apiUrl, workerUrl: '', databaseUrl: '', redisUrl: '' });
    writeFileSync(join(directory, 'jwt-secret'), JWT_SECRET);
    try {
      const list = ['webhooks', 'list'];
      expect((await start(list, {}, LOCAL_PROGRAM)).code).toBe(0);
      expect((await start([...list, '--url', apiUrl], {}, LOCAL_PROGRAM)).code).toBe(0);
      const unanswered = 'http://127.0.0.1:1';
      for (const elsewhere of [
        await start(list, { HONGBAO_URL: unanswered }, LOCAL_PROGRAM),
        await start([...list, `--url=${unanswered}`], {}, LOCAL_PROGRAM),
      ])
        expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining('Set a token in') });
    } finally {
      lock.release();
    }
  });
});
