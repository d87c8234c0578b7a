import type { IncomingHttpHeaders } from 'node:http';
import { must } from '../../../libs/problem';
import { forbidden, invalidField, quoted, Refusal } from '../../platform/http';
import { upgradeRequired } from './gateway.error';

export const PROTOCOL = 'hongbao.v1';

const VERSION = '13';

export const OF_A_PROXY =
  'The request is one for a WebSocket, but does not ask for the upgrade: a proxy has to pass on both `Upgrade: websocket` ' +
  'and `Connection: upgrade`, over HTTP/1.1. For nginx: proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; ' +
  'proxy_set_header Connection "upgrade";';

/** `Upgrade` and `Connection` hold for a single hop. Proxies pass on the rest of a handshake. */
export const hasLostUpgrade = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-websocket-key'] !== undefined;

/**
 * A token is always needed, and no browser adds one by itself. A page that has a token still may
 * not use the gateway when its origin may not call the API.
 *
 * @throws forbidden, upgradeRequired, invalidRequest
 */
export function requireHandshake(headers: IncomingHttpHeaders, origins: readonly string[]): void {
  requireOrigin(headers, origins);
  if (headers['sec-websocket-version'] !== VERSION)
    throw upgradeRequired(`Ask for a WebSocket of version ${VERSION}.`);
  const protocols = headers['sec-websocket-protocol']?.split(',').map((protocol) => protocol.trim());
  if (!protocols?.includes(PROTOCOL))
    throw invalidField('Sec-WebSocket-Protocol', must.beOneOf([PROTOCOL], `must offer ${PROTOCOL}`));
}

function requireOrigin({ origin, host }: IncomingHttpHeaders, origins: readonly string[]): void {
  if (origin === undefined || origins.includes(origin) || isHost(origin, host)) return;
  const cause = new Refusal('origin', `expected CORS_ORIGINS ${quoted(origins)}, got ${quoted(origin)}.`);
  throw forbidden('Pages of this origin may not use the gateway.', { cause });
}

/** A page without an origin sends `null`, and an HTTP/1.0 request may have no Host header. */
function isHost(origin: string, host: string | undefined): boolean {
  return Boolean(host) && URL.canParse(origin) && new URL(origin).host === host!.toLowerCase();
}
