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

interface Question {
  readonly userId: string;
  readonly activityId: string;
  /** In epoch milliseconds, as all instants here. */
  readonly sentAtMs: number;
  /** Absent while no answer has come. */
  readonly answeredAtMs?: number;
}

/** One grab. */
export interface Request extends Question {
  readonly told?: Told;
  /** How the connection failed, when no answer came. */
  readonly fault?: string;
}

/** A user who asked for a place in the waiting list. */
export interface Join extends Question {
  /** Their place, when they have got one. */
  readonly position?: number;
}

/** A line is written before the request is sent, and once more, in the same place, when its answer has come. */
export type Line =
  | { readonly kind: 'requests'; readonly index: number; readonly question: Request }
  | { readonly kind: 'joins'; readonly index: number; readonly question: Join };

/** What the clients themselves know of a round: the only witness that no part of the system can influence. */
export class ClientLog {
  constructor(
    readonly requests: Request[] = [],
    readonly joins: Join[] = [],
  ) {}

  write({ kind, index, question }: Line): void {
    this[kind][index] = question;
  }

  only(which: (question: Request | Join) => boolean): ClientLog {
    const joins = this.joins.filter(which);
    return new ClientLog(this.requests.filter(which), joins);
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
