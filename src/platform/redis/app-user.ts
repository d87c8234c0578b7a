import { KEY_PREFIX } from '../../../libs/redis-scripts';

const NAME = 'hongbao';

/**
 * What API and worker need of Redis: their own keys and channels, and of the commands that look at or change the server itself only
 * INFO. (CONFIG GET would tell the password of the default user.)
 */
const RULES = `~${KEY_PREFIX}:* ~{bull*}:* resetchannels &${KEY_PREFIX}:* +@all -@dangerous -@admin +info`;

/** The user of both programs, as a line of an ACL file. */
export const redisAppUser = (password: string): string => `${NAME} on >${password} ${RULES}`;

/** The same server as that user. */
export function asRedisAppUser(url: string, password: string): string {
  const { host } = new URL(url);
  return `redis://${NAME}:${password}@${host}`;
}
