import { reasonOf } from '../../../libs/connection-faults';
import { type AppConfig, fitsAlgorithm } from '../../platform/config';
import { createPublicKey, type JsonWebKey } from 'node:crypto';

const WITHIN_MS = 3_000;

/** @throws Error with one line when no token could be verified by this set */
export async function keySetFact({
  JWT_JWKS_URL,
  JWT_JWKS_ALGORITHM: algorithm,
}: AppConfig): Promise<string> {
  const { keys } = await read<{ keys?: (JsonWebKey & { alg?: string })[] }>(JWT_JWKS_URL!, 'JWT_JWKS_URL');
  if (!Array.isArray(keys))
    throw new Error(
      'JWT_JWKS_URL leads to something that is not a key set: take the jwks_uri of the provider.',
    );
  const usable = keys.filter(
    (key) => (key.alg ?? algorithm) === algorithm && fitsAlgorithm(pemOf(key), algorithm),
  );
  if (usable.length > 0) return `${usable.length} of ${keys.length} keys verify ${algorithm}.`;
  const others = [...new Set(keys.map(({ alg, kty, crv }) => alg ?? crv ?? kty))].join(', ');
  throw new Error(
    `No key of JWT_JWKS_URL verifies ${algorithm}: it has ${others || 'no keys'}. Set JWT_JWKS_ALGORITHM.`,
  );
}

/** Compares the issuer with the name it gives itself: with and without a final slash, issuers differ. */
export async function issuerFact(issuer: string): Promise<string> {
  if (!URL.canParse(issuer)) return `${issuer} is not a URL, so it cannot be asked.`;
  const said = await read<{ issuer?: string }>(
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    'the issuer',
  );
  if (said.issuer === issuer) return `${issuer} calls itself exactly that.`;
  throw new Error(
    `The issuer ${issuer} calls itself ${said.issuer}: set JWT_ISSUER, and OIDC_ISSUER, to exactly that.`,
  );
}

async function read<T>(url: string, name: string): Promise<T> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(WITHIN_MS) }).catch(
    (error: unknown) => {
      throw new Error(`${url} cannot be fetched: ${reasonOf(error)}.`);
    },
  );
  if (response.status !== 200) throw new Error(`${url} answers ${response.status}: correct ${name}.`);
  return (await response.json().catch(() => ({}))) as T;
}

function pemOf(key: JsonWebKey): string {
  try {
    return createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' }) as string;
  } catch {
    return '';
  }
}
