import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TokenSettings } from '../../platform/http/auth/sign-token';
import { linked } from './running';

/** A local system signs its own tokens, so settings that describe a provider's tokens do not apply. */
export const ONLY_BY_SECRET = {
  JWT_PUBLIC_KEY: '',
  JWT_JWKS_URL: '',
  JWT_ROLE_CLAIM: '',
  JWT_ROLE_NAMES: '',
};

/** The claims that the programs of this environment require in a token. */
export const tokenSettings = (
  { JWT_AUDIENCE, JWT_AUDIENCE_CLAIM, JWT_ISSUER }: NodeJS.ProcessEnv,
  secret: string,
): TokenSettings => ({
  secret,
  audience: JWT_AUDIENCE,
  audienceClaim: JWT_AUDIENCE_CLAIM,
  issuer: JWT_ISSUER,
});

export const localJwtSecret = (localDir: string): string =>
  localSecret(localDir, 'jwt-secret', () => randomBytes(48).toString('base64url'));

export const localClaimLogKey = (localDir: string): string =>
  localSecret(localDir, 'claim-log-key', () => randomBytes(32).toString('base64'));

/** Made once, kept in `localDir`, readable by its owner only. */
function localSecret(localDir: string, name: string, make: () => string): string {
  const file = join(localDir, name);
  mkdirSync(localDir, { recursive: true });
  if (existsSync(file)) return secretIn(file);
  const own = `${file}.${process.pid}`;
  writeFileSync(own, make(), { mode: 0o600 });
  linked(own, file);
  rmSync(own);
  return secretIn(file);
}

function secretIn(file: string): string {
  const secret = readFileSync(file, 'utf8').trim();
  if (secret === '') throw new Error(`${file} is empty: delete it, and a new secret is made.`);
  return secret;
}
