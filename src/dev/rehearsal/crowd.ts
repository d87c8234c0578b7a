import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { ANSWER_KINDS, type AnswerKind, type Answers, kindOf } from './answers';
import { type Breakage, Second } from './breakage';
import { Latencies } from './latencies';

const CONNECTIONS_MAX = 1_000;
/** Taps that wait for an answer. People do not wait for each other: taps that come due beyond that are dropped, and reported. */
const WAITING_MAX = 20_000;
const ANSWERED_WITHIN_MS = 10_000;
const STEP_MS = 10;

export interface CrowdPlan {
  readonly url: string;
  readonly activityId: string;
  /** The crowd. Each taps again after all the others have. */
  readonly tokens: readonly string[];
  readonly tapsPerSecond: number;
  readonly seconds: number;
}

/** People who tap at a rate, whether they are answered or not. */
export class Crowd {
  readonly latencies = new Latencies();
  readonly answers = Object.fromEntries(ANSWER_KINDS.map((kind) => [kind, 0])) as Record<AnswerKind, number> &
    Answers;
  /** Taps that this machine could not send in time. */
  dropped = 0;
  private readonly seconds = new Map<number, Second>();
  private readonly request;
  private readonly agent;
  private readonly path: URL;
  private sent = 0;
  private waiting = 0;

  constructor(private readonly plan: CrowdPlan) {
    this.path = new URL(`${plan.url.replace(/\/$/, '')}/v1/activities/${plan.activityId}/grabs`);
    const options = { keepAlive: true, maxSockets: CONNECTIONS_MAX, scheduling: 'fifo' } as const;
    const isSafe = this.path.protocol === 'https:';
    this.agent = isSafe ? new HttpsAgent(options) : new HttpAgent(options);
    this.request = isSafe ? httpsRequest : httpRequest;
  }

  get taps(): number {
    return this.sent;
  }

  get brokeFirst(): Breakage | undefined {
    const inOrder = [...this.seconds].sort(([a], [b]) => a - b);
    return inOrder.map(([, second]) => second.breakage).find((breakage) => breakage !== undefined);
  }

  /** Resolves when all taps are answered or given up. */
  async tap(onProgress: (taps: number) => void): Promise<void> {
    const { tapsPerSecond, seconds } = this.plan;
    const total = tapsPerSecond * seconds;
    const beganAt = performance.now();
    for (let due = 0; due < total; await pause(STEP_MS)) {
      const untilNow = Math.min(total, Math.ceil(((performance.now() - beganAt) * tapsPerSecond) / 1_000));
      for (; due < untilNow; due++) this.tapOnce(Math.floor(due / tapsPerSecond), due);
      onProgress(due);
    }
    while (this.waiting > 0) await pause(STEP_MS);
    this.agent.destroy();
  }

  private tapOnce(second: number, no: number): void {
    if (this.waiting >= WAITING_MAX) {
      this.dropped++;
      return;
    }
    const { tokens } = this.plan;
    this.sent++;
    this.waiting++;
    const at = performance.now();
    void this.ask(tokens[no % tokens.length]!).then((kind) => {
      this.waiting--;
      this.answers[kind]++;
      const ms = performance.now() - at;
      this.latencies.record(ms);
      this.secondAt(second).record(kind, ms);
    });
  }

  private secondAt(second: number): Second {
    const known = this.seconds.get(second) ?? new Second();
    this.seconds.set(second, known);
    return known;
  }

  private ask(token: string): Promise<AnswerKind> {
    return new Promise((resolve) => {
      const { agent, path } = this;
      const headers = { authorization: `Bearer ${token}`, 'content-length': '0' };
      const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
      const asked = this.request(path, { method: 'POST', agent, headers, signal }, (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => (body += text));
        response.on('end', () => resolve(kindOf(response.statusCode!, body)));
        response.on('error', () => resolve('unanswered'));
      });
      asked.on('error', () => resolve('unanswered'));
      asked.end();
    });
  }
}
