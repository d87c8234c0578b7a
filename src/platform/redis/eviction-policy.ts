import type { Servers } from '../../../libs/redis-scripts';

const NEEDED = 'noeviction';

/** Returns a policy that removes keys; undefined when every full server refuses writes instead. */
export async function evictingPolicy(servers: Servers): Promise<string | undefined> {
  const facts = await servers.factsOfAll();
  return facts.map(({ evictionPolicy }) => evictionPolicy).find((policy) => policy !== NEEDED);
}
