import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SECRET_BYTES = 48;

/** A local system signs its own tokens, so other keys of the environment are cleared. */
export const ONLY_BY_SECRET = { JWT_PUBLIC_KEY: '', JWT_JWKS_URL: '' };

/**
 * Returns the secret of this machine: made once, kept in `localDir`, readable by its owner only.
 */
export function localJwtSecret(localDir: string): string {
  const file = join(localDir, 'jwt-secret');
  mkdirSync(localDir, { recursive: true });
  try {
    writeFileSync(file, randomBytes(SECRET_BYTES).toString('base64url'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8');
}
