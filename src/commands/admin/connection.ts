import { ApiClient } from '../../../libs/client';
import { readEnvironment } from '../../../libs/environment';
import { localJwtSecret } from '../../dev/local/jwt-secret';
import { runningSystem } from '../../dev/local/running';
import { signToken } from '../../platform/http/auth/sign-token';
import { type Arguments, UsageError } from './arguments';

const TOKEN_HOURS = 1;

/**
 * The API that is named, and who asks. What is not named is that of the system that `npm start` runs on this machine, if it does;
 * a token that is made here is sent to that system and nowhere else.
 *
 * @throws UsageError
 */
export async function connect(args: Arguments): Promise<ApiClient> {
  const env = readEnvironment();
  const local = await runningSystem(env.LOCAL_DIR || '.local');
  const url = args.text('url') ?? (env.HONGBAO_URL || local?.apiUrl);
  const isLocal = url !== undefined && url === local?.apiUrl;
  const token = args.text('token') ?? (env.HONGBAO_TOKEN || (isLocal ? operatorToken(env) : undefined));
  if (!isHttp(url))
    throw new UsageError('Name the API by HONGBAO_URL or --url, such as https://hongbao.example.');
  if (!isToken(token)) throw new UsageError('Bring a token in HONGBAO_TOKEN or by --token.');
  return new ApiClient(url, token);
}

const isHttp = (url: string | undefined): url is string =>
  url !== undefined && /^https?:\/\//.test(url) && URL.canParse(url);

/** No header can hold anything else, and what refuses it there would show it. */
const isToken = (token: string | undefined): token is string =>
  token !== undefined && /^[\x21-\x7e]+$/.test(token);

function operatorToken(env: NodeJS.ProcessEnv): string {
  const secret = env.JWT_SECRET || localJwtSecret(env.LOCAL_DIR || '.local');
  const settings = { secret, audience: env.JWT_AUDIENCE, issuer: env.JWT_ISSUER };
  return signToken(settings, { sub: 'admin', role: 'operator' }, TOKEN_HOURS);
}
