import type { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Role } from '../../../../libs/roles';
import { LongAnswers } from './long-answers';

/** Answers that last until their callers leave, and one server that can stop. */
class Desk {
  readonly signals: AbortSignal[] = [];
  private stopping?: (done: () => void) => void;
  private readonly answers = new LongAnswers({
    httpAdapter: {
      getInstance: () => ({
        addHook: (_: string, hook: (done: () => void) => void) => void (this.stopping = hook),
      }),
    },
  } as unknown as HttpAdapterHost<FastifyAdapter>);

  constructor() {
    this.answers.onModuleInit();
  }

  /** Returns what ends the answer, or the code of the refusal. */
  async ask(userId: string, role: Role, via?: string): Promise<string | (() => Promise<void>)> {
    let end = (): void => undefined;
    const read = new Promise<void>((resolve) => (end = resolve));
    const answer = this.answers.run({ userId, role, via }, (signal) => {
      this.signals.push(signal);
      return read;
    });
    const refused = answer.then(
      () => 'over',
      ({ code }: { code: string }) => code,
    );
    const running = new Promise<undefined>((resolve) => setImmediate(resolve, undefined));
    const refusal = await Promise.race([refused, running]);
    if (refusal !== undefined) return refusal;
    return () => {
      end();
      return answer;
    };
  }

  stop(): void {
    this.stopping!(() => undefined);
  }
}

const isRunning = (answer: string | (() => Promise<void>)): boolean => typeof answer !== 'string';

describe('long answers', () => {
  it('are limited to two at once for users, one each, so that the rest is left to staff', async () => {
    const desk = new Desk();
    const ann = await desk.ask('ann', 'user');
    expect(await desk.ask('ann', 'user')).toBe('busy');
    expect(isRunning(await desk.ask('bob', 'user'))).toBe(true);
    expect(await desk.ask('cid', 'user')).toBe('busy');
    expect(isRunning(await desk.ask('fin', 'finance'))).toBe(true);
    expect(isRunning(await desk.ask('fin', 'finance'))).toBe(true);
    expect(await desk.ask('sue', 'support')).toBe('busy');
    await (ann as () => Promise<void>)();
    expect(isRunning(await desk.ask('sue', 'support'))).toBe(true);
  });

  it('are limited to two at once for each member of staff', async () => {
    const desk = new Desk();
    expect(isRunning(await desk.ask('fin', 'finance'))).toBe(true);
    expect(isRunning(await desk.ask('fin', 'finance'))).toBe(true);
    expect(await desk.ask('fin', 'finance')).toBe('busy');
  });

  it('for users on whose behalf one server acts count as those of the server', async () => {
    const desk = new Desk();
    expect(isRunning(await desk.ask('ann', 'user', 'shop'))).toBe(true);
    expect(await desk.ask('bob', 'user', 'shop')).toBe('busy');
    expect(isRunning(await desk.ask('bob', 'user'))).toBe(true);
  });

  it('end when the server stops, and no others begin', async () => {
    const desk = new Desk();
    await desk.ask('ann', 'user');
    expect(desk.signals.map(({ aborted }) => aborted)).toEqual([false]);
    desk.stop();
    expect(desk.signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await desk.ask('fin', 'finance')).toBe('unavailable');
  });
});
