import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { DIST, onCopy, unbundle } from '../faults/copy';
import { apply } from '../faults/edit';
import { exitAfter } from '../harness/exit-after';
import { fuzz } from './fuzz';
import { PLANTED_BUGS } from './planted-bugs';

const REQUESTS = 20_000;
const REQUESTS_TO_PROVE = '4000';

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: String(REQUESTS) },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      prove: { type: 'boolean', default: false },
    },
  });
  if (values.prove) return prove(values.seed);
  const [requests, seed] = [Number(values.requests), Number(values.seed)];
  if (!Number.isSafeInteger(requests) || requests < 1 || !Number.isSafeInteger(seed))
    throw new Error('--requests and --seed must be whole numbers. Usage: npm run test:fuzz -- --help');
  return fuzz({ requests, seed, localDir: process.env.LOCAL_DIR || '.local' });
}

/** Proves that the fuzzer finds planted bugs. */
async function prove(seed: string): Promise<boolean> {
  let found = 0;
  for (const { name, edit, complaint } of PLANTED_BUGS) {
    const output = await onCopy(join(dirname(DIST), '.local'), (dist) => {
      unbundle(dist);
      apply(edit, dist);
      const args = [join(dist, 'test', 'fuzz', 'run.js'), '--requests', REQUESTS_TO_PROVE, '--seed', seed];
      return Promise.resolve(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout);
    });
    const fault = output.split('\n').find((line) => line.startsWith('FAULT') && complaint.test(line));
    if (fault !== undefined) found += 1;
    console.log(
      fault === undefined ? `MISSED ${name}:\n${output}` : `found  ${name}: ${fault.slice(0, 150)}`,
    );
  }
  console.log(`planted bugs ${PLANTED_BUGS.length}, found ${found}`);
  return found === PLANTED_BUGS.length;
}

exitAfter(main());
