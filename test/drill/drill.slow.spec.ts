import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(__dirname, '..', '..');

it('A backup can be restored: no answer is lost if Redis survives, and without it none from before the last commit', async () => {
  const drill = join('dist', 'test', 'drill', 'run.js');
  const { stdout } = await run(process.execPath, [drill, '--claims', '100', '--back', '10'], { cwd: root });
  expect(stdout).toMatch(/^… lost +0 +0 +\d+$/m);
  expect(stdout).toContain('The backup can be restored.');
});
