import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Containers } from './container';
import type { Steps } from './steps';

/** Prints its process, user and group, and the result of a write to each of these places. */
const PROBE = `
  const write = (file) => { try { fs.writeFileSync(file, ''); return 'written'; } catch (error) { return error.code; } };
  console.log([process.pid, process.getuid(), process.getgid(), ...['x', '/tmp/x', '/x'].map(write)].join());
`;

/** Checks the rights of a program in a container, before any of ours runs there. */
export async function checkConfinement(steps: Steps, containers: Containers): Promise<void> {
  const found = await containers.execute(['node', '-e', PROBE]);
  const { output } = await found.end();
  const [pid, uid, gid, ...writes] = output.trim().split(',');
  steps.check('the first process there is ours', pid, '1');
  steps.check('it runs as the user of the image', `${uid}:${gid}`, containers.config.User);
  steps.check('it can write nothing', [...new Set(writes)], ['EROFS']);
  const unknown = await containers.run(['no-such-program']);
  steps.check('a program that it does not have is refused', unknown.exitCode, 1);
  steps.check('a command that waits for a server ends at SIGTERM', await endOfWaiting(containers), 143);
}

/** Only the program itself ends a container's first process; this one waits for a silent server. */
async function endOfWaiting(containers: Containers): Promise<number | null> {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const MIGRATION_DATABASE_URL = `postgres://nobody@127.0.0.1:${port}/none`;
  const migration = await containers.start(['migrate'], { MIGRATION_DATABASE_URL });
  const connected = once(silent, 'connection').then(() => true);
  try {
    if (!(await Promise.race([connected, migration.program.ended.then(() => false)])))
      throw new Error(migration.program.output);
    return (await migration.terminate()).exitCode;
  } finally {
    await migration.stop();
    silent.close();
  }
}
