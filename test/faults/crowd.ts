import { setTimeout as pause } from 'node:timers/promises';
import { ticketFor, type TicketKey } from '../harness/ticket';
import { ANSWER_WITHIN_MS, call, GIVE_UP_AFTER_MS, NoAnswer, RETRY_AFTER_MS, tokenOf } from './api-call';
import { headersOf as keyHeadersOf, type Keys } from './audience';
import type { Line, Told } from './client-log';
import { GatewayTaps, type TapAnswer } from './gateway-taps';
import { type Habit, isToBeHeld, tapsOverGateway } from './habit';

/** Valid even for a process whose clock is an hour off. */
const TICKET_SECONDS = 86_400;

/** Users who are not admitted, with the tickets and keys that they try. If `ticket` is absent, they bring a valid one. */
export type Strangers = ReadonlyMap<string, { readonly ticket?: string | undefined; readonly keys?: Keys }>;

export class Crowd {
  /** True while curious users repeat questions whose answers they know. */
  private restless = false;
  private turn = 0;
  private readonly gateway = new GatewayTaps();
  private readonly lines = { requests: 0, joins: 0 };
  private sponsor?: { readonly key: TicketKey; readonly holds: boolean };
  private strangers: Strangers = new Map();
  private readonly keys = new Map<string, Keys>();
  /** Activity and user → the former keys with which winners tap again. */
  private readonly formerKeys = new Map<string, Keys>();
  private readonly winners = new Set<string>();

  /** @param write records a line of the {@link ClientLog} */
  constructor(
    private readonly apiUrls: readonly string[],
    private readonly write: (line: Line) => void,
  ) {}

  setRestless(restless: boolean): void {
    this.restless = restless;
  }

  /** From now on, all users except strangers bring a ticket signed with this key. */
  useTickets(key: TicketKey, holds: boolean): void {
    this.sponsor = { key, holds };
  }

  /**
   * From now on, all users except strangers bring these keys to the activity. Users who have won keep
   * bringing the former ones, if they must be remembered as holders.
   */
  useKeys(activityId: string, keys: Keys, holdersAreKnown: boolean): void {
    const former = this.keys.get(activityId);
    this.keys.set(activityId, keys);
    if (!former || !holdersAreKnown) return;
    for (const winner of this.winners)
      if (winner.startsWith(`${activityId} `)) this.formerKeys.set(winner, former);
  }

  async intrude(activityId: string, strangers: Strangers, everyMs: number): Promise<void> {
    this.strangers = strangers;
    const tries = Array.from(strangers.keys(), async (userId) => {
      for (let tap = 0; tap < 3; tap++) {
        await pause(everyMs);
        await this.tap(activityId, userId, tokenOf(userId));
      }
      await this.wait(activityId, userId);
    });
    await Promise.all(tries);
  }

  async rain(activityId: string, users: ReadonlyMap<string, Habit>): Promise<void> {
    await Promise.all(Array.from(users, ([userId, habit]) => this.live(activityId, userId, habit)));
  }

  /**
   * Everyone disconnects after the final answer, because a process may not have enough connections for all users.
   * @throws NoAnswer if a user gets no final answer
   */
  async tapAll(activityId: string, delaysMs: ReadonlyMap<string, number>): Promise<void> {
    const taps = Array.from(delaysMs, async ([userId, delayMs]) => {
      await pause(delayMs);
      await this.tapUntilFinal(activityId, userId);
    });
    await Promise.all(taps);
    this.gateway.leave(delaysMs.keys());
  }

  async tapUntilFinal(activityId: string, userId: string): Promise<void> {
    const token = tokenOf(userId);
    const deadline = performance.now() + GIVE_UP_AFTER_MS;
    while (performance.now() < deadline) {
      const told = await this.tap(activityId, userId, token);
      if (told && isFinal(told)) return;
      const untilMs = Date.parse(told?.nextAt ?? '') - Date.now();
      await pause(Math.max(RETRY_AFTER_MS, untilMs || 0));
    }
    throw new NoAnswer(`${userId} never got a final answer about activity ${activityId}`);
  }

  /** Requests the user's event stream for a moment, so that there is a client to notify. */
  async listen(userId: string): Promise<void> {
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${tokenOf(userId)}` };
    const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
    await fetch(`${this.apiUrls[0]}/v1/me/events`, { headers, signal }).catch(() => undefined);
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

  private async wait(activityId: string, userId: string): Promise<void> {
    const answered = this.ask('joins', userId, activityId);
    const path = `/v1/activities/${activityId}/waitlist`;
    const headers = this.headersOf(activityId, userId);
    const answer = await call(this.nextApi(), tokenOf(userId), 'POST', path, { headers }).catch(
      () => undefined,
    );
    if (answer?.status === 200) answered({ position: answer.body.position });
  }

  private async tap(activityId: string, userId: string, token: string): Promise<Told | undefined> {
    const answered = this.ask('requests', userId, activityId);
    try {
      const { status, body } = await this.grab(activityId, userId, token);
      const { code, redPacketId, amount, reason, nextAt } = body;
      const told: Told =
        status < 300 ? { status, code, redPacketId, amount, reason, nextAt } : { status, problem: code };
      answered({ told });
      const winner = `${activityId} ${userId}`;
      if (told.code === '0' || told.code === '1') this.winners.add(winner);
      if (told.problem === 'activity.not_found') this.formerKeys.delete(winner);
      return told;
    } catch (error) {
      answered({ fault: String(error instanceof Error ? (error.cause ?? error) : error) });
      return undefined;
    }
  }

  private grab(activityId: string, userId: string, token: string): Promise<TapAnswer> {
    const apiUrl = this.nextApi();
    if (tapsOverGateway(userId)) {
      const ticket = this.ticketOf(activityId, userId);
      const keys = this.keysOf(activityId, userId);
      return this.gateway.tap(apiUrl, userId, token, { activityId, ticket, ...keys });
    }
    const headers = this.headersOf(activityId, userId);
    return call(apiUrl, token, 'POST', `/v1/activities/${activityId}/grabs`, { headers });
  }

  private headersOf(activityId: string, userId: string): Record<string, string> {
    const ticket = this.ticketOf(activityId, userId);
    return { ...keyHeadersOf(this.keysOf(activityId, userId)), ...(ticket !== undefined && { ticket }) };
  }

  private keysOf(activityId: string, userId: string): Keys {
    const own = this.strangers.get(userId)?.keys ?? this.formerKeys.get(`${activityId} ${userId}`);
    return own ?? this.keys.get(activityId) ?? {};
  }

  private ticketOf(activityId: string, userId: string): string | undefined {
    const stranger = this.strangers.get(userId);
    if (!this.sponsor || (stranger && 'ticket' in stranger)) return stranger?.ticket;
    const { key, holds } = this.sponsor;
    const exp = Math.floor(Date.now() / 1_000) + TICKET_SECONDS;
    return ticketFor(key, activityId, userId, { exp, hold: holds && isToBeHeld(userId) });
  }

  /** Records a question, and returns a function that records its answer. */
  private ask(kind: Line['kind'], userId: string, activityId: string) {
    const question = { userId, activityId, sentAtMs: Date.now() };
    const index = this.lines[kind]++;
    this.write({ kind, index, question });
    return (answer: { told?: Told; fault?: string; position?: number }): void =>
      this.write({ kind, index, question: { ...question, answeredAtMs: Date.now(), ...answer } });
  }

  private nextApi(): string {
    return this.apiUrls[this.turn++ % this.apiUrls.length]!;
  }
}

const isFinal = ({ code, reason }: Told): boolean =>
  code === '0' || code === '1' || ['sold-out', 'closed', 'limit'].includes(reason ?? '');
