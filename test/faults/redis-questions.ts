/** A question that a call asks about one part of an activity. */
export interface Question {
  readonly activityId: string;
  readonly shard: number;
  /** Users for whom it draws; empty if it only looks. */
  readonly userIds: readonly string[];
  /** True if the caller believes that the activity is dealt over parts. */
  readonly ofParts: boolean;
}

/** The tag of shard 7 is `{07}` on one server and `{7-qkzf}` in a cluster. */
const OF_ACTIVITY = /^rp:\{(\d+)[-\w]*\}:(\d+):(\w+)$/;
const JOURNAL = /^rp:\{[-\w]+\}:journal$/;
const INSTALLATION = /^rp:\{[-\w]+\}:installation$/;

/** The shard of an activity's key, and its kind of data; undefined for every other key. */
export function placeOf(key: string): { activityId: string; shard: number; what: string } | undefined {
  const [, shard, activityId, what] = OF_ACTIVITY.exec(key) ?? [];
  return what === undefined ? undefined : { activityId: activityId!, shard: Number(shard), what };
}

const isOf = (what: string, key = ''): boolean => placeOf(key)?.what === what;

/**
 * The questions of a call about free packets: `grab.lua` and `grab-part.lua` draw for users,
 * `standing.lua` counts those of any number of activities, and the users who wait for them.
 */
export function questionsOf([name = '', , keyCount = '', ...rest]: readonly string[]): Question[] {
  if (!/^eval(sha)?$/i.test(name)) return [];
  const [keys, args] = [rest.slice(0, Number(keyCount)), rest.slice(Number(keyCount))];
  if (INSTALLATION.test(keys[0] ?? '')) return keys.filter((name) => isOf('state', name)).map(lookAt);
  if (!JOURNAL.test(keys[0] ?? '')) return [];
  if (isOf('gate', keys[1])) return drawsOf(keys.slice(1), args, { before: 1 });
  return isOf('away', keys[5]) ? drawsOf(keys.slice(1), args, { before: 4 }) : [];
}

/** True for calls of scripts, whose own commands show whether they were run. */
export const isScript = ([name = '']: readonly string[]): boolean => /^eval(sha)?$/i.test(name);

function lookAt(key: string): Question {
  const { activityId, shard } = placeOf(key)!;
  return { activityId, shard, userIds: [], ofParts: false };
}

const KEYS_A_DRAW = 5;

/** Each draw has its own keys. Its arguments are the activity, sometimes more, the number of users, and the users. */
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
