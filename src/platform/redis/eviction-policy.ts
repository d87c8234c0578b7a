import type { Servers } from '../../../libs/redis-scripts';

const NEEDED = 'noeviction';

/**
 * Returns the policy by which a full server would remove keys; undefined when every server would
 * refuse writes instead.
 */
export async function evictingPolicy(servers: Servers): Promise<string | undefined> {
  const facts = await servers.factsOfAll();
  return facts.map(({ evictionPolicy }) => evictionPolicy).find((policy) => policy !== NEEDED);
}
