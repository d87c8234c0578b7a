import { writeFileSync } from 'node:fs';

/** What an API told a client who grabbed. */
export interface Told {
  readonly status: number;
  /** `0` won, `1` already, `2` reserved, `-1` nothing; undefined for a problem. */
  readonly code?: string;
  readonly redPacketId?: string;
  readonly amount?: string;
  readonly reason?: string;
  /** Stable code of a problem. */
  readonly problem?: string;
}

/** One request, recorded before it was sent and again when its answer came; instants in epoch milliseconds. */
export interface Request {
  readonly userId: string;
  readonly activityId: string;
  readonly sentAtMs: number;
  answeredAtMs?: number;
  told?: Told;
  /** How the connection failed, when no answer came. */
  fault?: string;
}

/** A user who asked for a place in the waiting list. */
export interface Join {
  readonly userId: string;
  readonly activityId: string;
  readonly sentAtMs: number;
  answeredAtMs?: number;
  /** Their place, when they have got one. */
  position?: number;
}

/** What the clients themselves know of a round: the only witness that no part of the system can influence. */
export class ClientLog {
  constructor(
    readonly requests: Request[] = [],
    readonly joins: Join[] = [],
  ) {}

  only(which: (question: Request | Join) => boolean): ClientLog {
    const joins = this.joins.filter(which);
    return new ClientLog(this.requests.filter(which), joins);
  }

  before(userId: string, activityId: string): Request {
    const request: Request = { userId, activityId, sentAtMs: Date.now() };
    this.requests.push(request);
    return request;
  }

  answered(request: Request, told: Told): void {
    request.answeredAtMs = Date.now();
    request.told = told;
  }

  failed(request: Request, error: unknown): void {
    request.answeredAtMs = Date.now();
    request.fault = String(error instanceof Error ? (error.cause ?? error) : error);
  }

  beforeJoin(userId: string, activityId: string): Join {
    const join: Join = { userId, activityId, sentAtMs: Date.now() };
    this.joins.push(join);
    return join;
  }

  joined(join: Join, position: number): void {
    join.answeredAtMs = Date.now();
    join.position = position;
  }

  /** Users who have got a place in the waiting list. */
  placed(activityId: string): Set<string> {
    const joins = this.joins.filter((join) => join.activityId === activityId && join.position !== undefined);
    return new Set(joins.map(({ userId }) => userId));
  }

  /** Every answer that named a packet as the user's own, for good. */
  get promises(): { userId: string; activityId: string; told: Told }[] {
    return this.requests.flatMap(({ userId, activityId, told }) =>
      told?.code === '0' || told?.code === '1' ? [{ userId, activityId, told }] : [],
    );
  }

  save(file: string): void {
    const lines = [...this.requests, ...this.joins].map((line) => JSON.stringify(line));
    writeFileSync(file, lines.join('\n'));
  }
}
