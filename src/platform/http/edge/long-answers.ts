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
const PER_CALLER_MAX = 2;
const LASTS_MAX_MS = 3_600_000;

interface Running extends Pick<Caller, 'userId' | 'role'> {
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
  async run({ userId, role }: Caller, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.requireRoom(userId, isStaff(role));
    const running = { userId, role, ending: new AbortController() };
    const timer = setTimeout(() => running.ending.abort(), LASTS_MAX_MS);
    this.running.add(running);
    try {
      await work(running.ending.signal);
    } finally {
      clearTimeout(timer);
      this.running.delete(running);
    }
  }

  private requireRoom(userId: string, forStaff: boolean): void {
    if (this.leaving) throw unavailable('This server is stopping.', { retryAfterSeconds: 1 });
    const all = [...this.running];
    const own = all.filter((one) => one.userId === userId).length;
    const users = all.filter(({ role }) => !isStaff(role)).length;
    if (own >= PER_CALLER_MAX || all.length >= AT_ONCE_MAX || (!forStaff && users >= USERS_AT_ONCE_MAX))
      throw busy('Other files are being read; try again when they are done.', { retryAfterSeconds: 5 });
  }
}
