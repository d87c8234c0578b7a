import { type ChildProcess, fork } from 'node:child_process';
import { NoAnswer } from './api-call';
import { ClientLog, type Line } from './client-log';
import type { Crowd } from './crowd';

export type CrowdRequest = { readonly id: number } & {
  [M in keyof Crowd]: { readonly method: M; readonly args: Parameters<Crowd[M]> };
}[keyof Crowd];

/** A message from the crowd: a line of the log, or the end of a call, with its fault if it failed. */
export type CrowdReport = Line | { readonly kind: 'done'; readonly id: number; readonly fault?: string };

/** The crowd of one round, in a separate process so that nothing in this one delays it. */
export class CrowdProcess {
  readonly log = new ClientLog();
  private readonly child: ChildProcess;
  private readonly open = new Map<number, (fault?: string) => void>();
  private asked = 0;

  constructor(apiUrls: readonly string[]) {
    // The child has its own process group: Ctrl-C lets the round end first.
    const options = { serialization: 'advanced', detached: true } as const;
    this.child = fork(require.resolve('./crowd-main'), apiUrls, options);
    this.child.on('message', (report: CrowdReport) => this.receive(report));
    this.child.on('exit', () => this.open.forEach((done) => done('the crowd has ended')));
  }

  async ask<M extends keyof Crowd>(method: M, ...args: Parameters<Crowd[M]>): Promise<void> {
    const id = ++this.asked;
    const fault = await new Promise<string | undefined>((resolve) => {
      this.open.set(id, resolve);
      this.child.send({ id, method, args }, (error) => error && resolve(error.message));
    });
    this.open.delete(id);
    if (fault !== undefined) throw new NoAnswer(fault);
  }

  /** Ends the process. Outstanding answers are not recorded. */
  end(): void {
    this.child.kill('SIGKILL');
  }

  private receive(report: CrowdReport): void {
    if (report.kind === 'done') this.open.get(report.id)?.(report.fault);
    else this.log.write(report);
  }
}
