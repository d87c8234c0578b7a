/** A part of an activity in Redis at one moment, with the moments at which waiting users joined. */
export interface Snapshot {
  readonly activityId: string;
  /** The shard that the part is in; for an activity with one part, the shard of the activity. */
  readonly shard: number;
  readonly status?: string;
  readonly free: number;
  readonly holders: readonly string[];
  readonly waiters: readonly (readonly [userId: string, moment: number])[];
}

interface Before {
  readonly free: number;
  readonly line: readonly string[];
  readonly winners: string[];
  changesClaims: boolean;
}

/** One part of an activity, followed command by command. */
export class PartOrder {
  status?: string;
  free = 0;
  readonly holders = new Set<string>();
  readonly waiters = new Map<string, number>();
  /** Every place that a user has had; a user who loses a packet gets their place back. */
  readonly places = new Set<string>();
  /** When a packet that a user had held last came back, by the clock of this host. */
  cameBackAtMs = 0;
  before?: Before;

  constructor(
    readonly activityId: string,
    readonly shard: number,
  ) {}

  /** Users who wait and hold nothing, in the order in which they joined. */
  line(): string[] {
    return [...this.waiters]
      .filter(([userId]) => !this.holders.has(userId))
      .sort(([a, momentA], [b, momentB]) => momentA - momentB || (a < b ? -1 : 1))
      .map(([userId]) => userId);
  }

  reset({ status, free, holders, waiters }: Snapshot): void {
    this.before = undefined;
    this.status = status;
    if (free > this.free) this.cameBackAtMs = Date.now();
    this.free = free;
    this.holders.clear();
    this.waiters.clear();
    for (const userId of holders) this.holders.add(userId);
    for (const [userId, moment] of waiters) this.join(userId, moment);
  }

  join(userId: string, moment: number): void {
    this.waiters.set(userId, moment);
    this.places.add(`${userId} ${moment}`);
  }

  /** Follows one command of a script. Returns its fault, if any. */
  change(what: What, args: readonly string[], change: Change): string | undefined | void {
    this.before ??= { free: this.free, line: this.line(), winners: [], changesClaims: false };
    this.before.changesClaims ||= what === 'claims';
    return change(this, what, args);
  }

  /** Ends a script. Returns its faults against the order of waiting users. */
  end(): string[] {
    const { free, line, winners, changesClaims } = this.before!;
    this.before = undefined;
    if (this.free > free && changesClaims) this.cameBackAtMs = Date.now();
    return this.free < free ? outOfTurn(free, line, winners) : [];
  }

  get standing(): string {
    return `${this.status ?? 'not loaded'}, ${this.free} packets free, ${this.line().length} waiting`;
  }
}

export const emptyPart = (activityId: string, shard: number): Snapshot => ({
  activityId,
  shard,
  free: 0,
  holders: [],
  waiters: [],
});

/** Finds winners out of turn: other users get only what is left after all waiting users. */
function outOfTurn(free: number, line: readonly string[], winners: readonly string[]): string[] {
  const others = winners.filter((userId) => !line.includes(userId));
  const early = winners.filter((userId) => line.indexOf(userId) >= free);
  const faults = early.map(
    (userId) => `${userId} was served at place ${line.indexOf(userId) + 1} when ${free} packets were free`,
  );
  if (line.length > 0 && others.length > Math.max(0, free - line.length))
    faults.push(`${others.join()} overtook ${line.length} who wait, with ${free} packets free`);
  return faults;
}

export type What = 'state' | 'packets' | 'claims' | 'waitlist';
export type Change = (part: PartOrder, what: What, args: readonly string[]) => string | undefined | void;

export const vanish: Change = (part, what) => {
  if (what === 'state') part.status = undefined;
  if (what === 'packets') part.free = 0;
  if (what === 'claims') part.holders.clear();
  if (what === 'waitlist') part.waiters.clear();
};

const push: Change = (part, _what, values) => {
  part.free += values.length;
};

const hold = (part: PartOrder, userId: string): void => {
  if (part.holders.has(userId)) return;
  part.holders.add(userId);
  part.before!.winners.push(userId);
};

const setFields: Change = (part, what, args) => {
  for (let i = 0; i < args.length; i += 2) {
    if (what === 'claims') hold(part, args[i]!);
    else if (args[i] === 'status') part.status = args[i + 1];
  }
};

/** Adds a user after all others, or at a place that they have had before. */
const enter: Change = (part, _what, args) => {
  const [moment, userId] = [Number(args[0]), args[1]!];
  const isLast = [...part.waiters.values()].every((other) => other < moment) && !part.waiters.has(userId);
  const hadIt = part.places.has(`${userId} ${moment}`);
  part.join(userId, moment);
  return isLast || hadIt ? undefined : `${userId} got another place in the waiting list than the last`;
};

/** The effect of each command, as far as the scripts use it. */
export const CHANGES: Record<string, Change> = {
  HSET: setFields,
  HSETNX: setFields,
  HDEL: (part, what, users) => {
    if (what === 'claims') users.forEach((userId) => part.holders.delete(userId));
  },
  LPUSH: push,
  RPUSH: push,
  RPOP: (part, _what, [count = '1']) => {
    part.free = Math.max(0, part.free - Number(count));
  },
  LTRIM: (part, _what, [, last]) => {
    part.free = Math.max(0, part.free + Number(last) + 1);
  },
  ZADD: enter,
  ZREM: (part, _what, users) => users.forEach((userId) => part.waiters.delete(userId)),
};
