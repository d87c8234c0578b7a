import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { isStaff } from '../../../../libs/roles';
import type { Caller } from '../auth/caller';
import { busy, unavailable } from '../problems/http.error';

/**
 * A long answer costs this process two pages of memory and, while its reader is fast, one connection to
 * Postgres, of ten by default; confirmations of grabs need them too.
 */
const AT_ONCE_MAX = 4;
/** The rest is left to staff. */
const USERS_AT_ONCE_MAX = 2;
/** So one user leaves room for another. All for whom a server acts count as that server. */
const PER_CALLER_MAX = { staff: 2, user: 1 };
const LASTS_MAX_MS = 3_600_000;

interface Running {
  readonly by: string;
  readonly isStaff: boolean;
  readonly ending: AbortController;
}

/** Bounds how many files are written to their readers at once, and for how long. */
@Injectable()
export class LongAnswers implements OnModuleInit {
  private readonly running = new Set<Running>();
  private leaving = false;

  constructor(private readonly adapterHost: HttpAdapterHost<FastifyAdapter>) {}

  /** At its close the server waits for answers: a slow reader would outlast its time limit. */
  onModuleInit(): void {
    this.adapterHost.httpAdapter?.getInstance().addHook('preClose', (done) => {
      this.leaving = true;
      for (const { ending } of this.running) ending.abort();
      done();
    });
  }

  /**
   * @param work ends early when its signal is aborted
   * @throws busy, unavailable
   */
  async run({ userId, via, role }: Caller, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const running = { by: via ?? userId, isStaff: isStaff(role), ending: new AbortController() };
    this.requireRoom(running);
    const timer = setTimeout(() => running.ending.abort(), LASTS_MAX_MS);
    this.running.add(running);
    try {
      await work(running.ending.signal);
    } finally {
      clearTimeout(timer);
      this.running.delete(running);
    }
  }

  private requireRoom(asked: Running): void {
    if (this.leaving) throw unavailable('This server is stopping.', { retryAfterSeconds: 1 });
    const all = [...this.running];
    const own = all.filter(({ by }) => by === asked.by).length;
    const users = all.filter((one) => !one.isStaff).length;
    const hasRoom =
      own < PER_CALLER_MAX[asked.isStaff ? 'staff' : 'user'] &&
      all.length < AT_ONCE_MAX &&
      (asked.isStaff || users < USERS_AT_ONCE_MAX);
    if (!hasRoom)
      throw busy('Other files are being read; try again when they are done.', { retryAfterSeconds: 5 });
  }
}
