import cluster, { type Worker } from 'node:cluster';
import { Logger } from '@nestjs/common';
import { within } from '../../../libs/deadline';
import { Seat } from './seat';
import { Exchange } from './siblings';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const REPLACE_SIGNAL = 'SIGUSR2';

/** A process that hangs is killed this long after its own time. */
const HANGS_AFTER_MS = 500;

const logger = new Logger('Processes');

/**
 * Several processes that listen to the same ports (decision 42). This process, the first, starts
 * them, starts them again when they end, and serves nothing itself.
 */
export class ProcessGroup {
  private readonly seats: readonly Seat[];
  private replacing = false;
  private leaving = false;

  /** @param shutdownTimeoutMs how long each process may take to end */
  constructor(
    file: string,
    size: number,
    private readonly shutdownTimeoutMs: number,
  ) {
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: file, serialization: 'advanced' });
    const exchange = new Exchange(() => this.serving);
    const welcome = (child: Worker) => exchange.join(child);
    this.seats = Array.from({ length: size }, (_, i) => new Seat(i + 1, welcome));
  }

  /**
   * Starts the first process alone, so that a fault that affects all of them is reported once.
   * @returns false if it has not started
   */
  async start(): Promise<boolean> {
    for (const signal of STOP_SIGNALS) process.once(signal, () => void this.leave());
    process.on(REPLACE_SIGNAL, () => void this.replace());
    const [first, ...others] = this.seats;
    if (!(await first!.start())) return this.leaving;
    await Promise.all(others.map((seat) => seat.fill()));
    return true;
  }

  private get serving(): ReadonlyMap<number, Worker> {
    return new Map(this.seats.flatMap(({ number, serving }) => (serving ? [[number, serving]] : [])));
  }

  /** Replaces them one by one, so that there are never fewer than before. */
  private async replace(): Promise<void> {
    if (this.replacing) return;
    this.replacing = true;
    logger.log('replacing all processes, one by one');
    for (const seat of this.seats)
      if (!(await seat.replace()))
        logger.error(`process ${seat.number} stays: its replacement did not start`);
    this.replacing = false;
  }

  private async leave(): Promise<void> {
    this.leaving = true;
    const left = Promise.all(this.seats.map((seat) => seat.leave())).then((all) => all.every(Boolean));
    const finished = await within(this.shutdownTimeoutMs + HANGS_AFTER_MS, left).catch(() => {
      logger.error('A process hangs, and is killed.');
      this.seats.forEach((seat) => seat.kill());
      return false;
    });
    process.exit(finished ? 0 : 1);
  }
}
