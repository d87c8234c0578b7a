import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { linked } from './running';

const SECRET_BYTES = 48;

/** A local system signs its own tokens. */
export const ONLY_BY_SECRET = { JWT_PUBLIC_KEY: '', JWT_JWKS_URL: '' };

/** Made once, kept in `localDir`, readable by its owner only. */
export function localJwtSecret(localDir: string): string {
  const file = join(localDir, 'jwt-secret');
  mkdirSync(localDir, { recursive: true });
  if (existsSync(file)) return secretIn(file);
  const own = `${file}.${process.pid}`;
  writeFileSync(own, randomBytes(SECRET_BYTES).toString('base64url'), { mode: 0o600 });
  linked(own, file);
  rmSync(own);
  return secretIn(file);
}

function secretIn(file: string): string {
  const secret = readFileSync(file, 'utf8').trim();
  if (secret === '') throw new Error(`${file} is empty: delete it, and a new secret is made.`);
  return secret;
}
