import { parseArgs } from 'node:util';
import { isRole, ROLES } from '../../libs/roles';
import { isUserId, USER_ID_RULE } from '../../libs/user-id';
import { readEnvironment } from '../../libs/environment';
import { localJwtSecret, tokenSettings } from './local/secrets';
import { signToken, type TokenClaims } from '../platform/http/auth/sign-token';

interface Request {
  readonly claims: TokenClaims;
  readonly hours: number;
}

function main(): void {
  const { claims, hours } = requestFrom(process.argv.slice(2));
  const env = readEnvironment();
  const secret = env.JWT_SECRET || localJwtSecret(env.LOCAL_DIR || '.local');
  process.stdout.write(`${signToken(tokenSettings(env, secret), claims, hours)}\n`);
}

function requestFrom(args: string[]): Request {
  const { values } = parseArgs({
    args,
    options: {
      sub: { type: 'string' },
      role: { type: 'string', default: 'user' },
      channel: { type: 'string' },
      hours: { type: 'string', default: '24' },
    },
  });
  const { sub = '', role, channel } = values;
  const hours = Number(values.hours);
  if (!isUserId(sub)) throw new Error(`--sub ${USER_ID_RULE}.`);
  if (!isRole(role)) throw new Error(`--role must be one of ${ROLES.join(', ')}.`);
  if (role === 'channel' ? !/^[1-9]\d*$/.test(channel ?? '') : channel !== undefined)
    throw new Error('--channel names the channel of a token of the role channel.');
  if (!(hours > 0 && hours < Infinity)) throw new Error('--hours must be a positive number.');
  return { claims: { sub, role, channel_id: channel }, hours };
}

try {
  main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\nUsage: npm run token -- --help\n`);
  process.exitCode = 1;
}
