import { type Dealt, homeOf, type RainContents } from '../../../libs/redis-scripts';

/** A user on their way through the parts of an activity. */
interface Walker {
  readonly userId: string;
  readonly at: number;
  /** How often they have left each part. */
  readonly left: ReadonlyMap<number, number>;
}

/**
 * How many of these users, who hold packets of one part, would not come there by the notes from their home part: these would
 * hear that there is nothing left.
 */
export async function strayed(
  contents: RainContents,
  { id, parts }: Dealt,
  part: number,
  userIds: readonly string[],
): Promise<number> {
  if (parts === 1) return 0;
  let count = 0;
  let walkers = userIds.map((userId): Walker => ({ userId, at: homeOf(id, userId, parts), left: new Map() }));
  while ((walkers = walkers.filter(({ at }) => at !== part)).length > 0) {
    const before = walkers.length;
    walkers = await sentOn(contents, id, walkers);
    count += before - walkers.length;
  }
  return count;
}

/** Where they are next, without those who are not sent on. */
async function sentOn(contents: RainContents, id: string, walkers: readonly Walker[]): Promise<Walker[]> {
  const sent: Walker[] = [];
  for (const at of new Set(walkers.map((walker) => walker.at))) {
    const here = walkers.filter((walker) => walker.at === at);
    const ways = await contents.ways(
      id,
      at,
      here.map(({ userId }) => userId),
    );
    here.forEach((walker, i) => sent.push(...stepOf(walker, ways[i]!)));
  }
  return sent;
}

function stepOf({ userId, at, left }: Walker, ways: readonly number[]): Walker[] {
  const visits = left.get(at) ?? 0;
  const next = ways[visits];
  return next === undefined ? [] : [{ userId, at: next, left: new Map(left).set(at, visits + 1) }];
}
