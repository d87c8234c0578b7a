/** A user for whom Redis was asked for a packet, and the state of the activity right after that call. */
export interface Asked {
  /** By the clock of Redis. */
  readonly atMs: number;
  /** The user got nothing, and nothing was there for them. */
  readonly soldOut: boolean;
  /** In words, for those who have to understand it. */
  readonly standing: string;
}

/** An activity as Redis has it at one moment; the waiting list as users with the moments of their joining. */
export interface Snapshot {
  readonly activityId: string;
  readonly status?: string;
  readonly free: number;
  readonly holders: readonly string[];
  readonly waiters: readonly (readonly [userId: string, moment: number])[];
}

const KEY = /^rp:\{\d\d\}:(\d+):(state|packets|claims|waitlist)$/;
const JOURNAL = /^rp:\{\d\d\}:journal$/;
const GATE = /^rp:\{\d\d\}:\d+:gate$/;

/** One activity, followed from command to command. */
class Rain {
  status?: string;
  free = 0;
  readonly holders = new Set<string>();
  readonly waiters = new Map<string, number>();
  /** Every place that a user ever had: one who is left without a packet after all gets theirs back. */
  readonly places = new Set<string>();
  /** When a packet that somebody had held was last given back, by the clock of this host. */
  cameBackAtMs = 0;
  /** How it was before the script that runs now. */
  before?: Before;

  /** Those who wait and hold nothing, in the order of joining. */
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
}

interface Before {
  readonly free: number;
  readonly line: readonly string[];
  readonly winners: string[];
  changesClaims: boolean;
}

/**
 * What Redis has done with packets and with those who wait, in its own order, command by command as MONITOR shows it. It
 * knows the keys and what the commands do to them, but not why the scripts send them.
 */
export class RedisOrder {
  private readonly faults: { readonly activityId: string; readonly fault: string }[] = [];
  private readonly rains = new Map<string, Rain>();
  private readonly asked = new Map<string, Asked[]>();
  private call?: { readonly atMs: number; readonly words: readonly string[]; ran: boolean };
  private readonly touched = new Map<string, Rain>();

  /** A new round: the past is dropped, and Redis goes on from where it is. */
  forget(): void {
    this.faults.length = 0;
    this.asked.clear();
  }

  /** Everything as it is from here on, whatever was known. */
  restart(snapshots: readonly Snapshot[]): void {
    this.call = undefined;
    this.touched.clear();
    const known = new Set(snapshots.map(({ activityId }) => activityId));
    for (const id of this.rains.keys()) if (!known.has(id)) this.rains.get(id)!.reset(nothing(id));
    for (const snapshot of snapshots) this.rain(snapshot.activityId).reset(snapshot);
  }

  /** What differs between what was followed and what is. */
  differences(snapshots: readonly Snapshot[]): string[] {
    this.endCall();
    const found = new Map(snapshots.map((snapshot) => [snapshot.activityId, snapshot]));
    return [...this.rains].flatMap(([id, { free, holders, waiters }]) => {
      const is = found.get(id) ?? nothing(id);
      const same =
        is.free === free && is.holders.length === holders.size && is.waiters.length === waiters.size;
      return same
        ? []
        : [`lost track of activity ${id}: ${free} packets, ${holders.size} holders, ${waiters.size} waiting`];
    });
  }

  /** One line of MONITOR; `inScript` for what a script has sent. */
  see(atMs: number, words: readonly string[], inScript: boolean): void {
    if (!inScript) {
      this.endCall();
      this.call = { atMs, words, ran: false };
    } else if (this.call) {
      this.call.ran = true;
    }
    this.apply(words);
  }

  /** What was done against the order of those who wait. */
  faultsOf(activityId: string): string[] {
    return this.faults.filter((entry) => entry.activityId === activityId).map(({ fault }) => fault);
  }

  /**
   * When a packet that somebody had held last came back, by the clock of this host: Postgres had refused them, or Redis has
   * forgotten them. Before that it was not free.
   */
  cameBackAtMs(activityId: string): number {
    return this.rains.get(activityId)?.cameBackAtMs ?? 0;
  }

  /** Every time Redis was asked for a packet for this user. */
  askedFor(activityId: string, userId: string): readonly Asked[] {
    return this.asked.get(`${activityId} ${userId}`) ?? [];
  }

  private rain(activityId: string): Rain {
    let rain = this.rains.get(activityId);
    if (!rain) this.rains.set(activityId, (rain = new Rain()));
    return rain;
  }

  private apply([name = '', ...args]: readonly string[]): void {
    switch (name.toUpperCase()) {
      case 'FLUSHALL':
      case 'FLUSHDB':
        return this.restart([]);
      case 'UNLINK':
      case 'DEL':
        return args.forEach((key) => this.change(key, [], vanish));
      default: {
        const change = CHANGES[name.toUpperCase()];
        if (change) this.change(args[0] ?? '', args.slice(1), change);
      }
    }
  }

  private change(key: string, args: readonly string[], change: Change): void {
    const [, activityId, what] = KEY.exec(key) ?? [];
    if (activityId === undefined) return;
    const rain = this.rain(activityId);
    rain.before ??= { free: rain.free, line: rain.line(), winners: [], changesClaims: false };
    rain.before.changesClaims ||= what === 'claims';
    this.touched.set(activityId, rain);
    const fault = change(rain, what as What, args);
    if (fault) this.faults.push({ activityId, fault });
  }

  /** A script is over when the next command comes: nothing comes between its commands. */
  private endCall(): void {
    for (const [activityId, rain] of this.touched) {
      const { free, line, winners, changesClaims } = rain.before!;
      if (rain.free > free && changesClaims) rain.cameBackAtMs = Date.now();
      const faults = rain.free < free ? outOfTurn(free, line, winners) : [];
      this.faults.push(...faults.map((fault) => ({ activityId, fault })));
      rain.before = undefined;
    }
    this.touched.clear();
    const { call } = this;
    this.call = undefined;
    if (call?.ran)
      for (const [activityId, userId] of drawsOf(call.words)) this.note(call.atMs, activityId, userId);
  }

  private note(atMs: number, activityId: string, userId: string): void {
    const rain = this.rain(activityId);
    const line = rain.line();
    const place = line.indexOf(userId);
    const none = place < 0 ? rain.free <= line.length : rain.free <= place;
    const soldOut = rain.status === 'open' && none && !rain.holders.has(userId);
    const standing = `${rain.status ?? 'not loaded'}, ${rain.free} packets free, ${line.length} waiting`;
    const key = `${activityId} ${userId}`;
    const list = this.asked.get(key);
    if (list) list.push({ atMs, soldOut, standing });
    else this.asked.set(key, [{ atMs, soldOut, standing }]);
  }
}

const nothing = (activityId: string): Snapshot => ({ activityId, free: 0, holders: [], waiters: [] });

/** Whose turn it is: as many of those who wait as there are packets, and others only for what is left after all of them. */
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

type What = 'state' | 'packets' | 'claims' | 'waitlist';
/** Returns what is wrong with it. */
type Change = (rain: Rain, what: What, args: readonly string[]) => string | undefined | void;

const vanish: Change = (rain, what) => {
  if (what === 'state') rain.status = undefined;
  if (what === 'packets') rain.free = 0;
  if (what === 'claims') rain.holders.clear();
  if (what === 'waitlist') rain.waiters.clear();
};

const push: Change = (rain, _what, values) => {
  rain.free += values.length;
};

const hold = (rain: Rain, userId: string): void => {
  if (rain.holders.has(userId)) return;
  rain.holders.add(userId);
  rain.before!.winners.push(userId);
};

const setFields: Change = (rain, what, args) => {
  for (let i = 0; i < args.length; i += 2) {
    if (what === 'claims') hold(rain, args[i]!);
    else if (args[i] === 'status') rain.status = args[i + 1];
  }
};

/** After everybody else, or where they had been before. */
const enter: Change = (rain, _what, args) => {
  const [moment, userId] = [Number(args[0]), args[1]!];
  const isLast = [...rain.waiters.values()].every((other) => other < moment) && !rain.waiters.has(userId);
  const hadIt = rain.places.has(`${userId} ${moment}`);
  rain.join(userId, moment);
  return isLast || hadIt ? undefined : `${userId} got another place in the waiting list than the last`;
};

/** Only what the scripts use of each command. */
const CHANGES: Record<string, Change> = {
  HSET: setFields,
  HSETNX: setFields,
  HDEL: (rain, what, users) => {
    if (what === 'claims') users.forEach((userId) => rain.holders.delete(userId));
  },
  LPUSH: push,
  RPUSH: push,
  RPOP: (rain, _what, [count = '1']) => {
    rain.free = Math.max(0, rain.free - Number(count));
  },
  LTRIM: (rain, _what, [, last]) => {
    rain.free = Math.max(0, rain.free + Number(last) + 1);
  },
  ZADD: enter,
  ZREM: (rain, _what, users) => users.forEach((userId) => rain.waiters.delete(userId)),
};

/** For whom a call of `grab.lua` asks, and where; nobody for any other call. */
function drawsOf([name = '', , keyCount = '', ...rest]: readonly string[]): (readonly [string, string])[] {
  if (!/^eval(sha)?$/i.test(name) || !JOURNAL.test(rest[0] ?? '') || !GATE.test(rest[1] ?? '')) return [];
  const args = rest.slice(Number(keyCount), -1);
  const draws: (readonly [string, string])[] = [];
  for (let i = 0; i < args.length;) {
    const [activityId, userCount] = [args[i]!, Number(args[i + 1])];
    for (const userId of args.slice(i + 2, i + 2 + userCount)) draws.push([activityId, userId]);
    i += 2 + userCount;
  }
  return draws;
}
