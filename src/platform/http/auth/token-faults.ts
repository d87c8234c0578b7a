import type { AppConfig } from '../../config';
import { quoted, Refusal } from '../problems/refusals';

/** The claims that a verifier expects in a token. */
export interface Expected {
  readonly algorithm: string;
  /** The setting that holds the key. */
  readonly key: string;
  readonly config: AppConfig;
}

interface Decoded {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

const PARTS = 3;
const PARTS_ENCRYPTED = 5;

/**
 * Finds out why the library has refused a token. Its errors say neither what was expected nor what was
 * received. Nothing is decided here: a refused token stays refused.
 */
export function refusalOf(token: string, cause: unknown, { algorithm, key, config }: Expected): Refusal {
  const decoded = decode(token);
  if (!decoded) return new Refusal('form', formOf(token), { cause });
  const { alg } = decoded.header;
  if (alg !== algorithm)
    return new Refusal('algorithm', `expected ${algorithm} (${key}), got ${quoted(alg)}.`, { cause });
  if (codeOf(cause) === 'FAST_JWT_INVALID_SIGNATURE')
    return new Refusal('signature', `it was not signed with ${keyIn(config, key)}.`, { cause });
  return claimFault(decoded.payload, config, cause);
}

/** Reads unverified claims. */
function decode(token: string): Decoded | undefined {
  try {
    const [header, payload] = token.split('.', 2).map((part) => JSON.parse(textOf(part)) as unknown);
    return isObject(header) && isObject(payload) ? ({ header, payload } as Decoded) : undefined;
  } catch {
    return undefined;
  }
}

const textOf = (part: string): string => Buffer.from(part, 'base64url').toString();

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function formOf(token: string): string {
  const parts = token.split('.').length;
  if (parts === PARTS_ENCRYPTED) return 'expected a signed token, got an encrypted one (JWE).';
  if (parts === PARTS) return 'it has three parts, but they cannot be read.';
  return `expected a JWT of three parts, got ${parts} (an opaque token is not for APIs: ask for one with an audience).`;
}

/** A secret that is shared by copying it is often not the same: its length shows a line break. */
function keyIn({ JWT_SECRET }: AppConfig, key: string): string {
  return key === 'JWT_SECRET' ? `JWT_SECRET, which has ${Buffer.byteLength(JWT_SECRET!)} bytes` : key;
}

function claimFault(claims: Decoded['payload'], config: AppConfig, cause: unknown): Refusal {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_AUDIENCE_CLAIM: audienceClaim } = config;
  const { exp, iss } = claims;
  const audiences = [claims[audienceClaim]].flat();
  const code = codeOf(cause);
  if (code === 'FAST_JWT_EXPIRED') return new Refusal('expired', `exp was ${momentOf(exp)}.`, { cause });
  if (code === 'FAST_JWT_INACTIVE')
    return new Refusal('not-yet', `nbf is ${momentOf(claims.nbf)}: compare the clocks.`, { cause });
  if (issuer !== undefined && iss !== issuer)
    return new Refusal('issuer', `expected JWT_ISSUER ${quoted(issuer)}, got ${quoted(iss)}.`, { cause });
  if (audience !== undefined && !audiences.includes(audience))
    return new Refusal(
      'audience',
      `expected JWT_AUDIENCE ${quoted(audience)} in ${audienceClaim}, got ${quoted(claims[audienceClaim])}.`,
      { cause },
    );
  const said = cause instanceof Error ? cause.message : String(cause);
  return new Refusal('claims', exp === undefined ? 'it has no exp.' : said, { cause });
}

const codeOf = (error: unknown): unknown => (isObject(error) && 'code' in error ? error.code : undefined);

function momentOf(seconds: unknown): string {
  const moment = new Date(Number(seconds) * 1000);
  return Number.isNaN(moment.getTime()) ? quoted(seconds) : moment.toISOString();
}
