import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { distributed } from '../harness/distributed';

const run = promisify(execFile);

/** Without promtool, nothing is checked. @throws Error with promtool's output */
export async function checkWithPromtool(...args: string[]): Promise<void> {
  const promtool = await distributed('prometheus', 'usr/bin/promtool');
  if (promtool === undefined) return;
  await run(promtool.command, args, { env: promtool.env }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${stdout}${stderr}`);
    },
  );
}

/** Without amtool, nothing is checked. @throws Error with the faults of the configuration */
export async function checkAlertmanager(configuration: string): Promise<void> {
  const amtool = await distributed('prometheus-alertmanager', 'usr/bin/amtool');
  if (amtool === undefined) return;
  const directory = mkdtempSync(join(tmpdir(), 'hongbao-amtool-'));
  try {
    const file = join(directory, 'alertmanager.yml');
    writeFileSync(file, configuration);
    await run(amtool.command, ['check-config', file], { env: amtool.env });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Has promtool check a file with this content, which becomes its last argument. JSON is YAML. */
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
