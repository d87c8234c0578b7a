// The first process of a container: `node hongbao.mjs PROGRAM [arguments]` becomes that program.
import { createRequire } from 'node:module';
import { constants } from 'node:os';

const PROGRAMS = {
  api: './dist/main.js',
  worker: './dist/worker.js',
  migrate: './dist/commands/migrate.js',
  archive: './dist/commands/archive.js',
  erasure: './dist/commands/erasure.js',
  verify: './dist/commands/verify.js',
  doctor: './dist/commands/doctor.js',
  shards: './dist/commands/shards.js',
  token: './dist/src/dev/token.js',
  admin: './dist/src/commands/admin.js',
};
const HEALTH_TIMEOUT_MS = 2000;
const require = createRequire(import.meta.url);

/**
 * Ends by a signal while the program has no listeners of its own: the kernel ignores a signal to
 * the first process of a container that has none.
 */
function endOnSignal() {
  for (const signal of ['SIGTERM', 'SIGINT'])
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
    });
}

async function start(name, file) {
  // Before the program is loaded: a Node that is too old may not even be able to read it.
  require('./dist/node-floor.js').demandNode(require('./dist/package.json').engines);
  process.argv.splice(1, 2, name);
  endOnSignal();
  await import(file);
}

/** Checks the one of the two programs that runs in this container. */
async function checkHealth() {
  const ports = [process.env.PORT || 3000, process.env.WORKER_PORT || 3001];
  await Promise.any(ports.map(isLive)).catch(() => fail('Neither API nor worker is alive.'));
}

async function isLive(port) {
  const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
  const { ok } = await fetch(`http://127.0.0.1:${port}/health/live`, { signal });
  if (!ok) throw new Error();
}

function fail(line) {
  console.error(line);
  process.exit(1);
}

const name = process.argv[2];
if (name === 'health') await checkHealth();
else if (Object.hasOwn(PROGRAMS, name ?? '')) await start(name, PROGRAMS[name]);
else fail(`Unknown program ${name ?? ''}: use one of ${Object.keys(PROGRAMS).join(', ')}.`);
