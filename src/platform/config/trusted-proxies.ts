import { isIP } from 'node:net';

/**
 * Proxies whose `X-Forwarded-For` is trusted: a number of hops, from our socket outwards, or those in these
 * CIDR ranges. There is no value for "all": a client would choose its own address.
 */
export type TrustedProxies = number | string[];

const HOPS_MAX = 10;

/** @returns undefined when the text is neither 1–10 nor a comma separated list of CIDR ranges */
export function parseTrustedProxies(text: string): TrustedProxies | undefined {
  if (/^\d+$/.test(text)) {
    const hops = Number(text);
    return hops >= 1 && hops <= HOPS_MAX ? hops : undefined;
  }
  const ranges = text.split(',').map((range) => range.trim());
  return ranges.every(isRange) ? ranges : undefined;
}

function isRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= (version === 4 ? 32 : 128);
}
