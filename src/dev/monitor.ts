import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Kept, LogMonitor, Rewritten } from './monitor/log-monitor';

const EVERY_MS = 10_000;

/**
 * `npm run monitor -- --url URL`: the exit code is 1 when history was rewritten, and with `--once` 2
 * when the log could not be read.
 */
async function main(): Promise<void> {
  const { url, keep, key, once } = parseArgs({
    options: {
      url: { type: 'string' },
      keep: { type: 'string', default: 'claim-log.json' },
      key: { type: 'string' },
      once: { type: 'boolean', default: false },
    },
  }).values;
  if (url === undefined) throw new Error('--url is missing: the address of the API.');
  const kept = existsSync(keep) ? (JSON.parse(readFileSync(keep, 'utf8')) as Kept) : undefined;
  const monitor = new LogMonitor(url.replace(/\/$/, ''), kept, key);
  for (;;) {
    try {
      say(await monitor.pass());
      if (monitor.kept) write(keep, monitor.kept);
    } catch (error) {
      if (once || error instanceof Rewritten) throw error;
      say(`not read: ${(error as Error).message}`);
    }
    if (once) return;
    await pause(EVERY_MS);
  }
}

/** A crash leaves either the old or the new file. */
function write(file: string, kept: Kept): void {
  writeFileSync(`${file}.new`, JSON.stringify(kept));
  renameSync(`${file}.new`, file);
}

function say(line: string): void {
  console.log(`${new Date().toISOString()} ${line}`);
}

main().catch((error: unknown) => {
  const isRewritten = error instanceof Rewritten;
  console.error(
    `${isRewritten ? 'REWRITTEN ' : ''}${error instanceof Error ? error.message : String(error)}`,
  );
  process.exitCode = isRewritten ? 1 : 2;
});
