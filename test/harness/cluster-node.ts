import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort, Program, redisBinary } from '../../libs/local-engines';
import { ask } from '../../libs/local-engines/port';

/** A node of a cluster listens for its peers 10,000 ports above its own. */
const CLUSTER_PORT_MAX = 55_535;
const READY_WITHIN_MS = 10_000;

export interface ClusterNode {
  readonly url: string;
  stop(): Promise<void>;
}

/** A lone Redis in cluster mode: it serves no slot, but knows which slot every key belongs to. */
export async function startClusterNode(): Promise<ClusterNode> {
  const binary = await redisBinary(resolve(process.env.LOCAL_DIR || '.local'));
  const dataDir = mkdtempSync(join(tmpdir(), 'hongbao-cluster-node-'));
  const port = await clusterPort();
  const program = await Program.start({
    name: 'Redis cluster node',
    command: binary.command,
    args: ['--port', String(port), '--bind', '127.0.0.1', '--cluster-enabled', 'yes', '--save', ''],
    env: binary.env,
    logFile: join(dataDir, 'server.log'),
    cwd: dataDir,
    stopSignal: 'SIGTERM',
    stopWithinMs: 1_500,
    throwAwayDirectory: dataDir,
  });
  await program.ready(async () => (await ask(port, 'PING\r\n')).startsWith('+PONG'), READY_WITHIN_MS);
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      await program.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function clusterPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port <= CLUSTER_PORT_MAX) return port;
  }
}
