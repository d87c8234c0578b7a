import { type Change, CHANGES, emptyPart, PartOrder, type Snapshot, vanish, type What } from './part-order';
import { isScript, placeOf, type Question, questionsOf } from './redis-questions';

/** The state of a part right after a question about its packets. */
export interface Look {
  readonly atMs: number;
  /** The part was open without a packet: for this user, or for users who do not wait. */
  readonly soldOut: boolean;
  /** The number of packets that Redis knew: those that were free plus those that users held. */
  readonly known: number;
  readonly standing: string;
}

/** A look at the part after a draw for a user. */
export interface Asked extends Look {
  /** True if the draw was for an activity that is dealt over parts. */
  readonly ofParts: boolean;
}

const FOLLOWED: readonly string[] = ['state', 'packets', 'claims', 'waitlist'] satisfies What[];

/**
 * The history of packets and waiting users, command by command as MONITOR shows it, for each part
 * of an activity by its shard. It knows the effects of commands, but not why scripts send them.
 */
export class RedisOrder {
  private readonly faults: { readonly activityId: string; readonly fault: string }[] = [];
  private readonly parts = new Map<string, PartOrder>();
  private readonly asked = new Map<string, Asked[]>();
  private readonly looks = new Map<string, Look[]>();
  private call?: { readonly atMs: number; readonly words: readonly string[]; ran: boolean };
  private readonly touched = new Set<PartOrder>();

  forget(): void {
    this.faults.length = 0;
    this.asked.clear();
    this.looks.clear();
  }

  /** Takes these snapshots as the state, whatever was known before. */
  restart(snapshots: readonly Snapshot[]): void {
    this.call = undefined;
    this.touched.clear();
    const known = new Set(snapshots.map(nameOf));
    for (const [name, part] of this.parts)
      if (!known.has(name)) part.reset(emptyPart(part.activityId, part.shard));
    for (const snapshot of snapshots) this.part(snapshot).reset(snapshot);
  }

  differences(snapshots: readonly Snapshot[]): string[] {
    this.endCall();
    const found = new Map(snapshots.map((snapshot) => [nameOf(snapshot), snapshot]));
    return [...this.parts].flatMap(([name, { activityId, shard, free, holders, waiters }]) => {
      const is = found.get(name) ?? emptyPart(activityId, shard);
      const same =
        is.free === free && is.holders.length === holders.size && is.waiters.length === waiters.size;
      return same
        ? []
        : [
            `lost track of activity ${activityId} in shard ${shard}: ${free} packets, ${holders.size} holders, ${waiters.size} waiting`,
          ];
    });
  }

  /** Follows one line of MONITOR; `inScript` for a command that a script has sent. */
  see(atMs: number, words: readonly string[], inScript: boolean): void {
    if (!inScript) {
      this.endCall();
      this.call = { atMs, words, ran: !isScript(words) };
    } else if (this.call) {
      this.call.ran = true;
    }
    this.apply(words);
  }

  faultsOf(activityId: string): string[] {
    return this.faults.filter((entry) => entry.activityId === activityId).map(({ fault }) => fault);
  }

  /**
   * When a user's packet last came back, by the clock of this host, because Postgres refused the user
   * or Redis forgot them. Before that the packet was not free.
   */
  cameBackAtMs(activityId: string): number {
    const parts = [...this.parts.values()].filter((part) => part.activityId === activityId);
    return Math.max(0, ...parts.map(({ cameBackAtMs }) => cameBackAtMs));
  }

  askedFor(activityId: string, userId: string): readonly Asked[] {
    return this.asked.get(`${activityId} ${userId}`) ?? [];
  }

  /** Every look at a part, each with the packets for users who do not wait. */
  looksAt(activityId: string, shard: number): readonly Look[] {
    return this.looks.get(nameOf({ activityId, shard })) ?? [];
  }

  private part({ activityId, shard }: Pick<PartOrder, 'activityId' | 'shard'>): PartOrder {
    const name = nameOf({ activityId, shard });
    let part = this.parts.get(name);
    if (!part) this.parts.set(name, (part = new PartOrder(activityId, shard)));
    return part;
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
    const place = placeOf(key);
    if (!place || !FOLLOWED.includes(place.what)) return;
    const part = this.part(place);
    this.touched.add(part);
    const fault = part.change(place.what as What, args, change);
    if (fault) this.faults.push({ activityId: place.activityId, fault });
  }

  /** No other command runs between the commands of a script. */
  private endCall(): void {
    for (const part of this.touched)
      this.faults.push(...part.end().map((fault) => ({ activityId: part.activityId, fault })));
    this.touched.clear();
    const { call } = this;
    this.call = undefined;
    if (call?.ran) for (const question of questionsOf(call.words)) this.note(call.atMs, question);
  }

  private note(atMs: number, question: Question): void {
    const { activityId, ofParts, userIds } = question;
    const part = this.part(question);
    const { status, free, holders, standing } = part;
    const line = part.line();
    const nothingFor = (place: number) => status === 'open' && free <= place;
    const known = free + holders.size;
    const forOthers = { atMs, soldOut: nothingFor(line.length), known, standing };
    if (ofParts || userIds.length === 0) append(this.looks, nameOf(question), forOthers);
    for (const userId of userIds) {
      // If there are parts, waiting users are served only from the list.
      const place = ofParts || !line.includes(userId) ? line.length : line.indexOf(userId);
      const soldOut = nothingFor(place) && !holders.has(userId);
      append(this.asked, `${activityId} ${userId}`, { ...forOthers, soldOut, ofParts });
    }
  }
}

const nameOf = ({ activityId, shard }: Pick<PartOrder, 'activityId' | 'shard'>): string =>
  `${activityId} ${shard}`;

function append<T>(lists: Map<string, T[]>, name: string, item: T): void {
  const list = lists.get(name);
  if (list) list.push(item);
  else lists.set(name, [item]);
}
