import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(__dirname, '..', '..');
const run = promisify(execFile);

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** Our own scripts, with their commands. */
const ours = Object.entries(scripts).filter(([, command]) => /^exec node \S+\.mjs/.test(command));

describe('npm run … -- --help', () => {
  let home: string;

  beforeAll(() => (home = mkdtempSync(join(tmpdir(), 'hongbao-help-'))));
  afterAll(() => rmSync(home, { recursive: true }));

  it.each(ours)('prints how %s is used, and does nothing else', async (script, command) => {
    const args = command.split(' ').slice(2);
    const env = { ...process.env, LOCAL_DIR: join(home, '.local') };
    const { stdout } = await run(process.execPath, [...args, '--help'], { cwd: root, env });
    expect(stdout).toContain(script === 'start' || script === 'test' ? `npm ${script}` : `npm run ${script}`);
    expect(existsSync(env.LOCAL_DIR)).toBe(false);
  });
});
