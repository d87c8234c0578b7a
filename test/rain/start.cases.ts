import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Engine, Program } from '../../src/dev/engines';
import { createDatabase, startTestRedis, type TestDatabase } from '../harness/engines';

const READY_WITHIN_MS = 150_000;

const PROVIDER = {
  JWT_JWKS_URL: 'https://id.example/keys',
  JWT_ISSUER: 'https://id.example/',
  JWT_AUDIENCE: 'rain',
  JWT_AUDIENCE_CLAIM: 'client_id',
  JWT_ROLE_CLAIM: 'realm_access.roles',
  JWT_ROLE_NAMES: 'operator=Rain.Operator',
};

describe('npm start', () => {
  let directory: string;
  let database: TestDatabase;
  let redis: Engine;
  let program: Program | undefined;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'hongbao-start-'));
    [database, redis] = await Promise.all([createDatabase(), startTestRedis()]);
  });

  afterEach(async () => {
    await program?.stop();
    await Promise.all([database.drop(), redis.stop()]);
    rmSync(directory, { recursive: true, force: true });
  });

  /** Returns its output until it was ready. */
  const startWith = async (settings: NodeJS.ProcessEnv): Promise<string> => {
    const databaseUrlFile = join(directory, 'database-url');
    writeFileSync(databaseUrlFile, `${database.appUrl}\n`);
    program = await Program.start({
      name: 'npm start',
      command: process.execPath,
      args: [resolve('dist', 'src', 'dev', 'start.js')],
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'test',
        LOCAL_DIR: join(directory, 'local'),
        PORT: '0',
        DATABASE_URL_FILE: databaseUrlFile,
        MIGRATION_DATABASE_URL: database.url,
        REDIS_URL: redis.url,
        ...settings,
      },
      logFile: join(directory, 'start.log'),
      cwd: directory,
      stopSignal: 'SIGTERM',
      stopWithinMs: 20_000,
    });
    const started = program;
    await started.ready(() => started.output.includes('\nLogs '), READY_WITHIN_MS);
    return started.output;
  };

  it('starts with the settings of an identity provider, on an IPv6 address and with a secret in a file, and says what it left out', async () => {
    const said = await startWith({
      ...PROVIDER,
      HOST: '::1',
      CURRENCY: 'JPY',
      RATE_LIMIT_USER_PER_SECOND: '1',
      GRAB_ACK: 'redis',
    });
    expect(said).toContain('Left out: JWT_JWKS_URL, JWT_ROLE_CLAIM, JWT_ROLE_NAMES.');
    expect(said).toMatch(/^Payouts +channel 1, /m);
    const [, address, id] = /curl -X POST (\S+?)(\d+)\/grabs/.exec(said)!;
    const guest = await fetch(new URL('/rain/guests', address), { method: 'POST' });
    const [, token] = /^User token +(\S+)$/m.exec(said)!;
    for (const one of [token, ((await guest.json()) as { token: string }).token]) {
      const headers = { Authorization: `Bearer ${one}` };
      const won = await fetch(`${address}${id}/grabs`, { method: 'POST', headers });
      expect(await won.json()).toMatchObject({ code: '0' });
    }
  });

  it.each([
    [
      'smaller than what waits for an approval',
      { APPROVAL_ABOVE: '5.00', APPROVAL_ABOVE_DAILY: '8.00' },
      /The demo rain has 4\.00 only: .*APPROVAL_ABOVE[^]+ 200 packets of 4\.00 in demo activity 1:/,
    ],
    [
      'left out if any amount waits for an approval',
      { APPROVAL_ABOVE: '0', WEB: 'off' },
      /Left out: the demo rain\. Any amount waits for an approval[^]+\nRain +off \(WEB\)\nConsole +off/,
    ],
  ])('opens a demo rain that is %s', async (_, settings, said) => {
    expect(await startWith(settings)).toMatch(said);
  });
});
