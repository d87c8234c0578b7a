import type { Servers } from '../../../libs/redis-scripts';

const NEEDED = 'noeviction';

/** The policy by which a server would remove keys when it is full; undefined where each one would refuse writes instead. */
export async function evictingPolicy(servers: Servers): Promise<string | undefined> {
  const facts = await servers.factsOfAll();
  return facts.map(({ evictionPolicy }) => evictionPolicy).find((policy) => policy !== NEEDED);
}
