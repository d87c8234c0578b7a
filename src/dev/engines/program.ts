import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { guard } from './watchdog';

const POLL_MS = 20;

export interface ProgramOptions {
  readonly name: string;
  readonly command: string;
  readonly args: string[];
  readonly env: NodeJS.ProcessEnv;
  /** Standard output and error; emptied first. */
  readonly logFile: string;
  readonly cwd?: string;
  readonly user?: { uid?: number; gid?: number };
  readonly stopSignal: NodeJS.Signals;
  /** Time to end before it is killed. */
  readonly stopWithinMs: number;
  /** Removed when the program is stopped, or when this process dies. */
  readonly throwAwayDirectory?: string;
}

/** A child process in its own group, out of reach of Ctrl-C, that does not outlive this process. */
export class Program {
  readonly name: string;
  readonly pid: number;
  readonly ended: Promise<string>;
  private readonly child: ChildProcess;

  private constructor(
    child: ChildProcess & { pid: number },
    private readonly options: ProgramOptions,
  ) {
    this.name = options.name;
    this.child = child;
    this.pid = child.pid;
    const { stopSignal: signal, throwAwayDirectory } = options;
    const release = guard({ pid: this.pid, signal, throwAwayDirectory });
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, killedBy) => {
        release();
        resolve(`${this.name} ended with ${killedBy ?? `code ${code}`}`);
      });
    });
  }

  static async start(options: ProgramOptions): Promise<Program> {
    mkdirSync(dirname(options.logFile), { recursive: true });
    const log = openSync(options.logFile, 'w');
    const child = spawn(options.command, options.args, {
      cwd: options.cwd,
      env: options.env,
      ...options.user,
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    if (child.pid === undefined) {
      const [error] = await new Promise<[Error]>((resolve) =>
        child.once('error', (cause) => resolve([cause])),
      );
      throw new Error(`${options.name} could not be started: ${error.message}`, { cause: error });
    }
    return new Program(child as ChildProcess & { pid: number }, options);
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Null while it runs and when a signal ended it. */
  get exitCode(): number | null {
    return this.child.exitCode;
  }

  /** Pipes and devices keep no output. */
  get output(): string {
    const { logFile } = this.options;
    return statSync(logFile).isFile() ? readFileSync(logFile, 'utf8') : '';
  }

  /** The line of the log that most likely says why it ended. */
  get lastFault(): string {
    const lines = this.output.trimEnd().split('\n');
    return lines.findLast((line) => /fatal|error/i.test(line)) ?? lines.at(-1) ?? '';
  }

  /**
   * Waits until the condition holds. Throws one line if the program ends first or takes too long, or the
   * condition's own error. The program has then ended, and can be started again.
   */
  async ready(condition: () => Promise<boolean> | boolean, timeoutMs: number): Promise<void> {
    try {
      await this.until(condition, timeoutMs);
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  private async until(condition: () => Promise<boolean> | boolean, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!(await condition())) {
      if (!this.running) throw new Error(`${await this.ended}: ${this.lastFault}`);
      if (performance.now() > deadline)
        throw new Error(`${this.name} was not ready within ${timeoutMs} ms: see ${this.options.logFile}`);
      await pause(POLL_MS);
    }
  }

  async stop(): Promise<void> {
    await this.end();
    const { throwAwayDirectory } = this.options;
    if (throwAwayDirectory !== undefined) rmSync(throwAwayDirectory, { recursive: true, force: true });
  }

  private async end(): Promise<void> {
    const { stopSignal, stopWithinMs } = this.options;
    const timer = setTimeout(() => this.child.kill('SIGKILL'), stopWithinMs);
    this.child.kill(stopSignal);
    await this.ended;
    clearTimeout(timer);
  }
}
