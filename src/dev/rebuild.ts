import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LocalSystem } from './local/system';

type Say = (line: string) => void;

const SOURCES = ['src', 'libs', 'migrations'];
/** Builds only what is out of date, and alone in this checkout. */
const BUILD = [join('src', 'dev', 'launcher', 'run.mjs'), 'built'];
const STAMP = join('dist', '.built-from');
/** An editor writes more than once when it saves. */
const QUIET_MS = 200;

export async function rebuildOnChange(system: LocalSystem, say: Say): Promise<never> {
  for (;;) {
    const changed = nextChange();
    await rebuild(system, say);
    await changed;
  }
}

/** Watches directories, because editors replace files, which Node on Linux loses recursively. */
function nextChange(): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const end = () => {
      watchers.forEach((watcher) => watcher.close());
      resolve();
    };
    const watchers = directories().map((directory) =>
      watch(directory, () => {
        clearTimeout(timer);
        timer = setTimeout(end, QUIET_MS);
      }),
    );
  });
}

function directories(): string[] {
  const entries = SOURCES.flatMap((source) => readdirSync(source, { recursive: true, withFileTypes: true }));
  const below = entries.filter((entry) => entry.isDirectory());
  return [...SOURCES, ...below.map(({ parentPath, name }) => join(parentPath, name))];
}

/** Reports a failure; the next change tries again. */
async function rebuild(system: LocalSystem, say: Say): Promise<void> {
  const before = stamp();
  try {
    await promisify(execFile)(process.execPath, BUILD);
    if (stamp() === before) return;
    await system.renew();
    say('API and worker were built and started again.');
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    say(stderr || message);
  }
}

const stamp = (): string => (existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : '');
