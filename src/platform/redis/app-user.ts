import { KEY_PREFIX } from '../../../libs/redis-scripts';

const NAME = 'hongbao';

/**
 * The rights that API and worker need in Redis: their own keys and channels. Of the commands that
 * read or change the server itself, only INFO. (CONFIG GET would reveal the password of the default
 * user.)
 */
const RULES = `~${KEY_PREFIX}:* ~{bull*}:* resetchannels &${KEY_PREFIX}:* +@all -@dangerous -@admin +info`;

/** The user of both programs, as a line of an ACL file. */
export const redisAppUser = (password: string): string => `${NAME} on >${password} ${RULES}`;

/** Returns the URL of the same server for that user. */
export function asRedisAppUser(url: string, password: string): string {
  const { host } = new URL(url);
  return `redis://${NAME}:${password}@${host}`;
}
