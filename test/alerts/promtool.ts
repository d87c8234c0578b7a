import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { distributed } from '../harness/distributed';

const run = promisify(execFile);

/**
 * Has promtool check something. Where there is no promtool, nothing is checked and the reason is printed.
 *
 * @throws Error with what promtool says
 */
export async function checkWithPromtool(...args: string[]): Promise<void> {
  const promtool = await distributed('prometheus', 'usr/bin/promtool');
  if (promtool === undefined) return;
  await run(promtool.command, args, { env: promtool.env }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${stdout}${stderr}`);
    },
  );
}

/** The same with a file that is written for it, and given last: JSON is YAML. */
export async function checkContentWithPromtool(content: object, ...args: string[]): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'hongbao-promtool-'));
  const file = join(directory, 'content.yml');
  try {
    writeFileSync(file, JSON.stringify(content));
    await checkWithPromtool(...args, file);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
