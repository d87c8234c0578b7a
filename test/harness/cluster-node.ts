import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort, Program, redisBinary, throwAwayDirectory } from '../../src/dev/engines';
import { ask } from '../../src/dev/engines/port';

const READY_WITHIN_MS = 60_000;
const ATTEMPTS_MAX = 3;

export interface ClusterNodeOptions {
  /** Users in addition to the default user, each as a line of an ACL file. */
  readonly users?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
}

export class ClusterNode {
  private isFrozen = false;

  private constructor(
    readonly port: number,
    readonly busPort: number,
    private readonly options: ClusterNodeOptions,
    private readonly dataDir: string,
    private program: Program,
  ) {}

  static async start(options: ClusterNodeOptions = {}): Promise<ClusterNode> {
    for (let attempt = 1; ; attempt++) {
      const dataDir = throwAwayDirectory('cluster-node');
      const [port, busPort] = [await freePort(), await freePort()];
      try {
        return new ClusterNode(
          port,
          busPort,
          options,
          dataDir,
          await launch(port, busPort, dataDir, options),
        );
      } catch (error) {
        rmSync(dataDir, { recursive: true, force: true });
        if (attempt === ATTEMPTS_MAX) throw error;
      }
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.program.pid;
  }

  get answers(): boolean {
    return this.program.running && !this.isFrozen;
  }

  async kill(): Promise<void> {
    process.kill(this.pid, 'SIGKILL');
    await this.program.ended;
  }

  freeze(): void {
    this.isFrozen = true;
    process.kill(this.pid, 'SIGSTOP');
  }

  unfreeze(): void {
    this.isFrozen = false;
    process.kill(this.pid, 'SIGCONT');
  }

  async restart(): Promise<void> {
    this.program = await launch(this.port, this.busPort, this.dataDir, this.options);
  }

  async stop(): Promise<void> {
    if (this.isFrozen) this.unfreeze();
    await this.program.stop();
  }
}

async function launch(
  port: number,
  busPort: number,
  dataDir: string,
  { users = [], settings = {} }: ClusterNodeOptions,
): Promise<Program> {
  const binary = await redisBinary(resolve(process.env.LOCAL_DIR || '.local'));
  const all = {
    port: String(port),
    'cluster-port': String(busPort),
    bind: '127.0.0.1',
    'cluster-enabled': 'yes',
    save: '',
    ...settings,
  };
  const program = await Program.start({
    name: 'Redis cluster node',
    command: binary.command,
    args: [
      ...Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]),
      ...users.flatMap((user) => ['--user', ...user.split(' ')]),
    ],
    env: binary.env,
    logFile: join(dataDir, 'server.log'),
    cwd: dataDir,
    stopSignal: 'SIGTERM',
    stopWithinMs: 1_500,
    throwAwayDirectory: dataDir,
  });
  await program.ready(async () => (await ask(port, 'PING\r\n')).startsWith('+PONG'), READY_WITHIN_MS);
  return program;
}
