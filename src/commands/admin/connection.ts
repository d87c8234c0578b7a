import { ApiClient } from '../../../libs/client';
import { readEnvironment } from '../../../libs/environment';
import { type Arguments, UsageError } from './arguments';

/** @throws UsageError */
export function connect(args: Arguments): ApiClient {
  const env = readEnvironment();
  const url = args.text('url') ?? env.HONGBAO_URL;
  const token = args.text('token') ?? env.HONGBAO_TOKEN;
  if (!isHttp(url))
    throw new UsageError('Name the API by HONGBAO_URL or --url, such as https://hongbao.example.');
  if (!isToken(token)) throw new UsageError('Bring a token in HONGBAO_TOKEN or by --token.');
  return new ApiClient(url, token);
}

const isHttp = (url: string | undefined): url is string =>
  url !== undefined && /^https?:\/\//.test(url) && URL.canParse(url);

/** `fetch` refuses any text that is no header with an error that would show it. */
const isToken = (token: string | undefined): token is string =>
  token !== undefined && /^[\x21-\x7e]+$/.test(token);
