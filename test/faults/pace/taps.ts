import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export interface TapOrder {
  readonly activityIds: readonly string[];
  readonly users: { readonly name: string; readonly count: number };
  readonly ports: readonly number[];
  readonly connections: number;
  readonly perSecond: number;
}

/** A tap as its user saw it, by the clock of this host. Without a status it was cut off. */
export interface TapAnswer {
  readonly activityId: string;
  readonly userId: string;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  readonly status?: number;
  readonly code?: string;
  readonly reason?: string;
  readonly nextAt?: string;
  readonly redPacketId?: string;
  readonly amount?: string;
}

/** Users of their own in several processes, who tap at a steady rate until they are asked to end. */
export class Taps {
  readonly answers: TapAnswer[] = [];
  /** Taps for which no connection was free. */
  missed = 0;
  /** How many were made in a second, once they have ended. */
  perSecond = 0;
  private readonly children: readonly ChildProcess[];
  private readonly beganAt = performance.now();

  constructor(processes: number, order: TapOrder) {
    const { connections, perSecond, users } = order;
    const share = { connections: connections / processes, perSecond: perSecond / processes };
    this.children = Array.from({ length: processes }, (_, i) => {
      const own = { name: `${users.name}-${i}`, count: Math.ceil(users.count / processes) };
      // The child has its own process group: Ctrl-C lets the proof end first.
      const args = [JSON.stringify({ ...order, ...share, users: own })];
      const child = fork(require.resolve('./taps-main'), args, { detached: true });
      return child.on('message', (report) => this.note(report as Pick<Taps, 'answers' | 'missed'>));
    });
  }

  /** Resolves when all answers are here. */
  async end(): Promise<void> {
    const tookMs = performance.now() - this.beganAt;
    await Promise.all(
      this.children.map(async (child) => {
        child.send('end');
        await once(child, 'exit');
      }),
    );
    this.perSecond = (1_000 * this.answers.length) / tookMs;
  }

  private note({ answers, missed }: Pick<Taps, 'answers' | 'missed'>): void {
    for (const answer of answers) this.answers.push(answer);
    this.missed += missed;
  }
}
