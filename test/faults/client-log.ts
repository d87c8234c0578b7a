import { writeFileSync } from 'node:fs';

export interface Told {
  readonly status: number;
  /** `0` won, `1` already, `2` reserved, `-1` nothing; undefined for a problem. */
  readonly code?: string;
  readonly redPacketId?: string;
  readonly amount?: string;
  readonly reason?: string;
  /** When to try again after "not-yet". */
  readonly nextAt?: string;
  readonly problem?: string;
}

interface Question {
  readonly userId: string;
  readonly activityId: string;
  /** When it was sent, in epoch milliseconds, like all instants here. */
  readonly sentAtMs: number;
  readonly answeredAtMs?: number;
}

export interface Request extends Question {
  readonly told?: Told;
  readonly fault?: string;
}

export interface Join extends Question {
  readonly position?: number;
}

/** A line is written before the request is sent, and again in the same place after its answer. */
export type Line =
  | { readonly kind: 'requests'; readonly index: number; readonly question: Request }
  | { readonly kind: 'joins'; readonly index: number; readonly question: Join };

/** The clients' own knowledge: the only witness that no part of the system can influence. */
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

  placed(activityId: string): Set<string> {
    const joins = this.joins.filter((join) => join.activityId === activityId && join.position !== undefined);
    return new Set(joins.map(({ userId }) => userId));
  }

  /** Every answer that named a packet as finally the user's own. */
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
