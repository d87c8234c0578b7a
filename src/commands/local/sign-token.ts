import type { KeyObject } from 'node:crypto';
import { JwtService } from '@nestjs/jwt';

const SECONDS_PER_HOUR = 3600;

export interface TokenClaims {
  readonly sub: string;
  readonly role: 'user' | 'operator';
}

/** The settings of the API that decide which tokens it accepts. */
export interface TokenSettings {
  readonly secret: string | KeyObject;
  readonly audience?: string;
  readonly issuer?: string;
}

/** An HS256 bearer token with `sub`, `role`, `iat`, `exp` and, where the API asks for them, `aud` and `iss`. */
export function signToken(
  { secret, audience, issuer }: TokenSettings,
  claims: TokenClaims,
  hours = 24,
): string {
  const jwt = new JwtService({ secret, signOptions: { algorithm: 'HS256' } });
  const expiresIn = Math.round(hours * SECONDS_PER_HOUR);
  return jwt.sign({ ...claims }, { expiresIn, ...(audience && { audience }), ...(issuer && { issuer }) });
}
