import { KEY_PREFIX } from '../../../libs/redis-scripts';

const NAME = 'hongbao';

/**
 * Rights to their own keys and channels; of the commands about the server itself, only INFO.
 * (CONFIG GET would reveal the password of the default user.)
 */
const RULES = `~${KEY_PREFIX}:* ~{bull*}:* resetchannels &${KEY_PREFIX}:* +@all -@dangerous -@admin +info`;

/** A line of an ACL file, for both programs. */
export const redisAppUser = (password: string): string => `${NAME} on >${password} ${RULES}`;

export function asRedisAppUser(url: string, password: string): string {
  const { host } = new URL(url);
  return `redis://${NAME}:${password}@${host}`;
}
