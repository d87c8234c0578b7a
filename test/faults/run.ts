import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { DIST, onCopy } from './copy';

const LOCAL_DIR = join(dirname(DIST), '.local');

/** Runs from a copy of all compiled files, which a concurrent build does not change. */
async function run(args: readonly string[]): Promise<number> {
  return onCopy(LOCAL_DIR, async (dist) => {
    const campaign = spawn(process.execPath, [join(dist, 'test', 'faults', 'main.js'), ...args], {
      stdio: 'inherit',
    });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => campaign.kill(signal));
    return new Promise<number>((resolve) => campaign.once('exit', (code) => resolve(code ?? 1)));
  });
}

void run(process.argv.slice(2)).then((code) => process.exit(code));
