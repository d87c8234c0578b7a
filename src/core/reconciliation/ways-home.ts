import { homeAmong, type Place, type RainContents } from '../../../libs/redis-scripts';

interface Walker {
  readonly userId: string;
  readonly at: Place;
  /** The number of times that the user has left each part. */
  readonly left: ReadonlyMap<number, number>;
}

/**
 * Counts the users who hold a packet in this place, but whose notes do not lead there from their
 * home part. Such a user would be answered "sold out".
 */
export async function strayed(
  contents: RainContents,
  places: readonly Place[],
  { part }: Place,
  userIds: readonly string[],
): Promise<number> {
  if (places.length === 1) return 0;
  let count = 0;
  let walkers = userIds.map((userId): Walker => ({ userId, at: homeAmong(places, userId), left: new Map() }));
  while ((walkers = walkers.filter(({ at }) => at.part !== part)).length > 0) {
    const before = walkers.length;
    walkers = await sentOn(contents, places, walkers);
    count += before - walkers.length;
  }
  return count;
}

/** Returns the users with their next part, without users whom no note leads on. */
async function sentOn(
  contents: RainContents,
  places: readonly Place[],
  walkers: readonly Walker[],
): Promise<Walker[]> {
  const sent: Walker[] = [];
  for (const at of places) {
    const here = walkers.filter((walker) => walker.at === at);
    if (here.length === 0) continue;
    const userIds = here.map(({ userId }) => userId);
    const ways = await contents.ways(at, userIds);
    here.forEach((walker, i) => sent.push(...stepOf(walker, ways[i]!, places)));
  }
  return sent;
}

function stepOf({ userId, at, left }: Walker, ways: readonly number[], places: readonly Place[]): Walker[] {
  const visits = left.get(at.part) ?? 0;
  const next = places[ways[visits] ?? -1];
  return next === undefined ? [] : [{ userId, at: next, left: new Map(left).set(at.part, visits + 1) }];
}
