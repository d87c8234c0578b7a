import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { signToken } from '../../src/commands/local/sign-token';
import type { Chance } from './chance';
import { ClientLog, type Told } from './client-log';
import { JWT_SECRET, type Service } from './service';

const ANSWER_WITHIN_MS = 4_000;
const RETRY_AFTER_MS = 120;
const GIVE_UP_AFTER_MS = 40_000;

/** A client whose operator request was never answered, or a user who never got a final answer. */
export class NoAnswer extends Error {}

// A test reads whatever the API sends.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Body = any;

async function call(service: Service, token: string, method: string, path: string, sent: object = {}) {
  const { key, body } = sent as { key?: string; body?: unknown };
  const response = await fetch(service.url + path, {
    method,
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    headers: {
      authorization: `Bearer ${token}`,
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

/** Repeats each request under the same Idempotency-Key, at one API after the other, until it is answered. */
export class Operator {
  /** What was answered so, a line each. */
  readonly internalErrors: string[] = [];
  private readonly token = signToken({ secret: JWT_SECRET }, { sub: 'operator', role: 'operator' });

  constructor(private readonly apis: readonly Service[]) {}

  post(path: string, body?: unknown): Promise<Body> {
    return this.untilAnswered('POST', path, { key: randomUUID(), body });
  }

  get(path: string): Promise<Body> {
    return this.untilAnswered('GET', path);
  }

  private async untilAnswered(method: string, path: string, sent?: object): Promise<Body> {
    const deadline = performance.now() + GIVE_UP_AFTER_MS;
    let last = 'nothing';
    for (let attempt = 0; performance.now() < deadline; attempt++) {
      try {
        const api = this.apis[attempt % this.apis.length]!;
        const { status, body } = await call(api, this.token, method, path, sent);
        if (status < 300) return body;
        if (status === 500) this.internalErrors.push(`${method} ${path} answered 500`);
        if (status < 500 && status !== 409)
          throw new NoAnswer(`${method} ${path}: ${status} ${body.detail} ${fieldsOf(body)}`);
        last = `${status} ${body.code}`;
      } catch (error) {
        if (error instanceof NoAnswer) throw error;
        last = String(error);
      }
      await pause(RETRY_AFTER_MS);
    }
    throw new NoAnswer(`${method} ${path} was not answered, last: ${last}`);
  }
}

const fieldsOf = ({ errors = [] }: Body): string =>
  errors.map(({ field }: { field: string }) => field).join();

export interface Habit {
  /** When the first tap comes, after the beginning of the rain. */
  readonly startMs: number;
  /** Two taps at once. */
  readonly doubleClick: boolean;
  /** Asks again after the answer. */
  readonly again: boolean;
  /** Taps once and walks away, whatever happens. */
  readonly impatient: boolean;
  /** Keeps asking while the crowd is active. */
  readonly curious: boolean;
}

export const habitOf = (chance: Chance, spreadMs: number): Habit => ({
  startMs: chance.integer(0, spreadMs),
  doubleClick: chance.isTrue(0.15),
  again: chance.isTrue(0.15),
  impatient: chance.isTrue(0.2),
  curious: chance.isTrue(0.4),
});

/** Users who tap until they have a final answer, and write down every request. */
export class Crowd {
  readonly log = new ClientLog();
  /** Whether curious users keep asking for what they already know. */
  restless = false;
  private turn = 0;

  constructor(private readonly apis: readonly Service[]) {}

  async rain(activityId: string, users: ReadonlyMap<string, Habit>): Promise<void> {
    await Promise.all(Array.from(users, ([userId, habit]) => this.live(activityId, userId, habit)));
  }

  /** @throws NoAnswer when one of them gets no final answer */
  async tapAll(activityId: string, userIds: readonly string[], chance: Chance, spreadMs = 0): Promise<void> {
    const taps = userIds.map(async (userId) => {
      await pause(chance.integer(0, spreadMs));
      await this.tapUntilFinal(activityId, userId);
    });
    await Promise.all(taps);
  }

  /** @throws NoAnswer when no final answer comes */
  async tapUntilFinal(activityId: string, userId: string): Promise<Told> {
    const token = tokenOf(userId);
    const deadline = performance.now() + GIVE_UP_AFTER_MS;
    while (performance.now() < deadline) {
      const told = await this.tap(activityId, userId, token);
      if (told && isFinal(told)) return told;
      await pause(RETRY_AFTER_MS);
    }
    throw new NoAnswer(`${userId} never got a final answer about activity ${activityId}`);
  }

  /** A user who listens for a moment, so that there is somebody to notify. */
  async listen(userId: string): Promise<void> {
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${tokenOf(userId)}` };
    const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
    await fetch(`${this.apis[0]!.url}/v1/me/events`, { headers, signal }).catch(() => undefined);
    leaving.abort();
  }

  private async live(activityId: string, userId: string, habit: Habit): Promise<void> {
    await pause(habit.startMs);
    if (habit.impatient) {
      await this.tap(activityId, userId, tokenOf(userId));
      return;
    }
    const taps = habit.doubleClick ? 2 : 1;
    await Promise.all(Array.from({ length: taps }, () => this.tapUntilFinal(activityId, userId)));
    if (habit.again) await this.tapUntilFinal(activityId, userId);
    if (habit.curious) await this.wait(activityId, userId);
    if (habit.curious && habit.again) await this.wait(activityId, userId);
    while (habit.curious && this.restless) {
      await pause(RETRY_AFTER_MS);
      await this.tapUntilFinal(activityId, userId);
    }
  }

  /** Joins the waiting list, if that is possible; a refusal is not an error. */
  private async wait(activityId: string, userId: string): Promise<void> {
    const api = this.apis[this.turn++ % this.apis.length]!;
    const join = this.log.beforeJoin(userId, activityId);
    const path = `/v1/activities/${activityId}/waitlist`;
    const answer = await call(api, tokenOf(userId), 'POST', path).catch(() => undefined);
    if (answer?.status === 200) this.log.joined(join, answer.body.position);
  }

  private async tap(activityId: string, userId: string, token: string): Promise<Told | undefined> {
    const api = this.apis[this.turn++ % this.apis.length]!;
    const request = this.log.before(userId, activityId);
    try {
      const { status, body } = await call(api, token, 'POST', `/v1/activities/${activityId}/grabs`);
      const { redPacketId, amount, reason } = body;
      const told: Told =
        status < 300
          ? { status, code: body.code, redPacketId, amount, reason }
          : { status, problem: body.code };
      this.log.answered(request, told);
      return told;
    } catch (error) {
      this.log.failed(request, error);
      return undefined;
    }
  }
}

const tokenOf = (userId: string): string => signToken({ secret: JWT_SECRET }, { sub: userId, role: 'user' });

const isFinal = ({ code, reason }: Told): boolean =>
  code === '0' || code === '1' || reason === 'sold-out' || reason === 'closed';
