import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Program } from '../../src/dev/engines';
import type { ImageConfig } from './buildah';

/** Enters a new namespace with the files of the image, read-only, as an engine would. */
const ENTER = `
mount --bind "$ROOT" "$ROOT"
mount --rbind /dev "$ROOT/dev"
mount -t proc proc "$ROOT/proc"
mount -o remount,bind,ro "$ROOT"
exec unshare --root="$ROOT" --wd="$WORKDIR" --setgid="$GROUP" --setuid="$USER" env -i "$@"
`;
const NAMESPACES = ['--mount', '--pid', '--fork', '--kill-child=SIGKILL', '--propagation', 'private'];
const END_WITHIN_MS = 15_000;

/** Runs programs of an image according to its configuration, with the strictest limits that engines have. */
export class Containers {
  constructor(
    private readonly root: string,
    readonly config: ImageConfig,
    private readonly logDir: string,
  ) {}

  /** The program that the image starts with these words. */
  start(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Container> {
    return this.execute([...this.config.Entrypoint, ...words], env);
  }

  async execute(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Container> {
    const [user, group] = this.config.User.split(':');
    const given = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const program = await Program.start({
      name: command.join(' '),
      command: 'unshare',
      args: [...NAMESPACES, 'sh', '-ec', ENTER, 'sh', ...this.config.Env, ...given, ...command],
      env: {
        PATH: process.env.PATH,
        ROOT: this.root,
        WORKDIR: this.config.WorkingDir,
        USER: user,
        GROUP: group,
      },
      logFile: join(this.logDir, `${randomUUID()}.log`),
      stopSignal: 'SIGKILL',
      stopWithinMs: END_WITHIN_MS,
    });
    return new Container(program);
  }

  /** Runs a command to its end. */
  async run(
    words: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<{ exitCode: number | null; output: string }> {
    return (await this.start(words, env)).end();
  }
}

export class Container {
  constructor(readonly program: Program) {}

  async end(): Promise<{ exitCode: number | null; output: string }> {
    await this.program.ended;
    return { exitCode: this.program.exitCode, output: this.program.output };
  }

  /** Asks as engines do: SIGTERM to the first process, and SIGKILL if it has not ended in time. */
  async terminate(): Promise<{ exitCode: number | null; output: string }> {
    process.kill(firstProcess(this.program.pid), 'SIGTERM');
    const tooLate = setTimeout(() => void this.program.stop(), END_WITHIN_MS);
    const end = await this.end();
    clearTimeout(tooLate);
    return end;
  }

  stop(): Promise<void> {
    return this.program.stop();
  }
}

/** The child of the process that made the namespace is process 1 in it. */
function firstProcess(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0]);
}
