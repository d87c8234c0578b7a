import { invariant } from '../invariant';
import { parsePacket, type Packet } from './packet';
import type { RedisKeys } from './redis-keys';
import { MARKED_FORMAT, STATE_FORMAT_MAX } from './state-format';

/** The journal entry of one script call. It counts undecided winners: at 0 it may be removed. */
export class JournalEntry {
  private undecided = 0;

  constructor(readonly id: string) {}

  add(winners: number): void {
    this.undecided += winners;
  }

  /** Returns whether that was the last. */
  decideOne(): boolean {
    this.undecided -= 1;
    invariant(this.undecided >= 0, () => `journal entry ${this.id} has fewer winners than decisions`);
    return this.undecided === 0;
  }
}

/** A packet that Redis has set aside for a user and that Postgres has yet to confirm. */
export interface Reservation {
  readonly activityId: string;
  readonly userId: string;
  readonly packet: Packet;
  /** The shard where it was drawn. */
  readonly shard: number;
  /** The journal entry that remembers it, when it is known. */
  readonly entry?: JournalEntry;
  /** The moment of joining the waiting list, in microseconds; only if they have waited. */
  readonly waitedSince?: string;
  /** The win is held: nothing is paid before staff have reviewed it. */
  readonly hold?: boolean;
}

export interface JournalRecord {
  readonly id: string;
  readonly reservations: readonly Reservation[];
  /** Why a part of it cannot be read. It goes into quarantine once the rest is decided. */
  readonly flaw?: string;
  /** A newer version of this program wrote it, and only that version can read it. */
  readonly isNewer?: boolean;
}

/** The first field of an entry of format 2 and later; format 1 has no such field. */
const FORMAT_MARK = /^v([2-9]|[1-9]\d{1,8})$/;

/** A user as programs of any version write them; earlier ones also accepted `.` and `..`. */
const USER = /^[\x21-\x7e]{1,128}$/;

/** Format 2 is about parts of activities, which lie in shards other than the activity's own. */
const OF_PARTS = 'v2';

/** Later formats are those of activities ({@link MARKED_FORMAT}), in parts or not. */
const isKnown = (mark: string): boolean =>
  mark === OF_PARTS || (Number(mark.slice(1)) >= MARKED_FORMAT && Number(mark.slice(1)) <= STATE_FORMAT_MAX);

const ABOUT = /^([1-9]\d{0,18})( hold)?(?: waitlist((?: \d{1,17}(?:\.5)?)+))?$/;

/** How a draw, and its journal entry, name the activity: the entry says whether its wins are to be held. */
export const aboutDraw = ({ activityId, hold, waitedSince }: AboutDraw): string =>
  activityId + (hold ? ' hold' : '') + (waitedSince ? ` waitlist ${waitedSince}` : '');

interface AboutDraw {
  readonly activityId: string;
  readonly hold?: boolean;
  readonly waitedSince?: string;
}

/** Users whose wins are to be held joined the waiting list between two microseconds. */
export const isHeldSince = (moment: string | undefined): boolean => moment?.endsWith('.5') ?? false;

/** The limits of Postgres: a larger value would fail there forever, along with every later entry. */
const ACTIVITY_ID_MAX = 2n ** 63n - 1n;
const PACKET_NO_MAX = 2 ** 31 - 1;

/**
 * Reads a journal entry: `activityId`, `"<userId> <packet> <userId> <packet> …"`, once per
 * activity, or `"<activityId> hold"` for wins that are to be held. For users who have waited,
 * ` waitlist <moment> <moment> …` follows; a moment that ends in `.5` is that of a user whose win is
 * to be held. In later formats `v<format>` and an empty value come first, and activities of other
 * shards may have a part in this one.
 *
 * Never throws: an entry written by hand must not keep later entries from being decided. An entry that is not
 * wholly readable never counts down to 0, so it is not removed.
 */
export function readEntry(
  shard: number,
  id: string,
  fields: readonly string[],
  keys: RedisKeys,
): JournalRecord {
  const [mark = ''] = fields;
  const isMarked = FORMAT_MARK.test(mark);
  if (isMarked && !isKnown(mark)) return { id, reservations: [], isNewer: true };
  const entry = new JournalEntry(id);
  const reservations: Reservation[] = [];
  const belongs = (activityId: string) => isMarked || keys.shardOf(activityId) === shard;
  let flaw = isMarked && fields.length <= 2 ? 'no activity' : undefined;
  for (let i = isMarked ? 2 : 0; i < fields.length; i += 2) {
    const read = readWinners(fields[i]!, fields[i + 1] ?? '', belongs);
    if (typeof read === 'string') flaw ??= read;
    else reservations.push(...read.map((winner) => ({ ...winner, shard, entry })));
  }
  entry.add(reservations.length + (flaw === undefined ? 0 : 1));
  return { id, reservations, flaw };
}

type Winner = Omit<Reservation, 'shard' | 'entry'>;

function readWinners(
  about: string,
  list: string,
  belongs: (activityId: string) => boolean,
): Winner[] | string {
  const [, activityId, held, since] = ABOUT.exec(about) ?? [];
  if (activityId === undefined || BigInt(activityId) > ACTIVITY_ID_MAX) return 'not an activity';
  if (!belongs(activityId)) return 'an activity of another shard';
  const words = list.split(' ');
  const moments = since?.trim().split(' ');
  if (words.length % 2 > 0) return 'a user without a packet';
  if (moments && 2 * moments.length !== words.length) return 'not as many moments as users';

  const winners: Winner[] = [];
  for (let i = 0; i < words.length; i += 2) {
    const packet = readPacket(words[i + 1]!);
    if (!USER.test(words[i]!)) return 'not a user';
    if (!packet) return 'not a packet';
    const waitedSince = moments?.[i / 2];
    const hold = held !== undefined || isHeldSince(waitedSince);
    winners.push({ activityId, userId: words[i]!, packet, waitedSince, hold });
  }
  return winners;
}

function readPacket(text: string): Packet | undefined {
  try {
    const { no, amountMinor } = parsePacket(text);
    return no >= 1 && no <= PACKET_NO_MAX ? { no, amountMinor } : undefined;
  } catch {
    return undefined;
  }
}
