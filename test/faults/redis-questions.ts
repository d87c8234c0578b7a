/** What a call has asked about one part of an activity. */
export interface Question {
  readonly activityId: string;
  readonly shard: number;
  /** For whom it was to draw; nobody where it only looks. */
  readonly userIds: readonly string[];
  /** Of an activity that the caller believes to be dealt over parts. */
  readonly ofParts: boolean;
}

/** On one server the tag of shard 7 is `{07}`, in a cluster `{7-qkzf}`. */
const OF_ACTIVITY = /^rp:\{(\d+)[-\w]*\}:(\d+):(\w+)$/;
const JOURNAL = /^rp:\{[-\w]+\}:journal$/;
const INSTALLATION = /^rp:\{[-\w]+\}:installation$/;

/** Where a key of an activity lies, and what it holds of it; undefined for every other key. */
export function placeOf(key: string): { activityId: string; shard: number; what: string } | undefined {
  const [, shard, activityId, what] = OF_ACTIVITY.exec(key) ?? [];
  return what === undefined ? undefined : { activityId: activityId!, shard: Number(shard), what };
}

const isOf = (what: string, key = ''): boolean => placeOf(key)?.what === what;

/**
 * What a call asks of the packets that are free: for users by `grab.lua` and `grab-part.lua`, or only how many there are by
 * `standing.lua` and, of those who wait for them, `ZCARD`.
 */
export function questionsOf([name = '', key = '', keyCount = '', ...rest]: readonly string[]): Question[] {
  if (/^zcard$/i.test(name)) return isOf('waitlist', key) ? [lookAt(key)] : [];
  if (!/^eval(sha)?$/i.test(name)) return [];
  const [keys, args] = [rest.slice(0, Number(keyCount)), rest.slice(Number(keyCount))];
  if (INSTALLATION.test(keys[0] ?? '') && isOf('state', keys[1])) return [lookAt(keys[1]!)];
  if (!JOURNAL.test(keys[0] ?? '')) return [];
  if (isOf('gate', keys[1])) return drawsOf(keys.slice(1), args, { before: 1 });
  return isOf('away', keys[5]) ? drawsOf(keys.slice(1), args, { before: 4 }) : [];
}

/** Its own commands show whether it was run. */
export const isScript = ([name = '']: readonly string[]): boolean => /^eval(sha)?$/i.test(name);

function lookAt(key: string): Question {
  const { activityId, shard } = placeOf(key)!;
  return { activityId, shard, userIds: [], ofParts: false };
}

const KEYS_A_DRAW = 5;

/** Each draw has its keys, and in the arguments the activity, sometimes more, the number of its users, and these. */
function drawsOf(
  keys: readonly string[],
  args: readonly string[],
  { before }: { readonly before: number },
): Question[] {
  const questions: Question[] = [];
  for (let i = 0, key = 0; key < keys.length; key += KEYS_A_DRAW) {
    const { activityId, shard } = placeOf(keys[key]!)!;
    const first = i + before + 1;
    const end = first + Number(args[i + before]);
    questions.push({ activityId, shard, userIds: args.slice(first, end), ofParts: before > 1 });
    i = end;
  }
  return questions;
}
