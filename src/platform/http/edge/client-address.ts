import type { IncomingMessage } from 'node:http';
import { all, compile } from '@fastify/proxy-addr';
import type { TrustedProxies } from '../../config';

/** The address as far as trusted proxies report it; undefined when the connection is gone. */
export type AddressOf = (request: IncomingMessage) => string | undefined;

/**
 * Fastify takes a number of hops and then trusts no proxy. A number in the configuration declares
 * that this port is reachable through that many proxies only.
 */
export function trusted(
  proxies: TrustedProxies,
): string[] | ((address: string, hop: number) => boolean) | false {
  if (typeof proxies === 'number') return (_address, hop) => hop < proxies;
  return proxies.length > 0 && proxies;
}

export function clientAddress(proxies: TrustedProxies): AddressOf {
  const given = trusted(proxies);
  if (given === false) return ({ socket }) => socket.remoteAddress;
  const trust = typeof given === 'function' ? given : compile(given);
  return (request) => all(request, trust).at(-1);
}
