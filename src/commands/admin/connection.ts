import { ApiClient } from '../../../libs/client';
import { UsageError, type Options, type Values } from './options';

export const CONNECTION_OPTIONS = {
  url: { value: '<url>', help: 'where the API is; HONGBAO_URL unless given' },
  token: {
    value: '<token>',
    help: 'who asks; HONGBAO_TOKEN unless given, where the process list does not show it',
  },
} satisfies Options;

/** @throws UsageError */
export function connect(values: Values, env: NodeJS.ProcessEnv): ApiClient {
  const url = (values.url as string | undefined) ?? env.HONGBAO_URL;
  const token = (values.token as string | undefined) ?? env.HONGBAO_TOKEN;
  if (!isHttp(url))
    throw new UsageError('Set HONGBAO_URL or --url to the API, such as https://hongbao.example.');
  if (!isToken(token)) throw new UsageError('Set a token in HONGBAO_TOKEN or with --token.');
  return new ApiClient(url, token);
}

const isHttp = (url: string | undefined): url is string =>
  url !== undefined && /^https?:\/\//.test(url) && URL.canParse(url);

/** `fetch` refuses text that is not a valid header with an error that would show it. */
const isToken = (token: string | undefined): token is string =>
  token !== undefined && /^[\x21-\x7e]+$/.test(token);
