import { createSigner } from 'fast-jwt';
import type { Role } from '../../../libs/roles';

const MILLISECONDS_PER_HOUR = 3_600_000;

export interface TokenClaims {
  readonly sub: string;
  readonly role: Role;
}

/** The settings of the API that decide which tokens it accepts. */
export interface TokenSettings {
  readonly secret: string;
  readonly audience?: string;
  readonly issuer?: string;
}

/** An HS256 bearer token with `sub`, `role`, `iat`, `exp` and, where the API asks for them, `aud` and `iss`. */
export function signToken(
  { secret, audience, issuer }: TokenSettings,
  claims: TokenClaims,
  hours = 24,
): string {
  const sign = createSigner({
    key: secret,
    algorithm: 'HS256',
    expiresIn: Math.round(hours * MILLISECONDS_PER_HOUR),
    ...(audience && { aud: audience }),
    ...(issuer && { iss: issuer }),
  });
  return sign({ ...claims });
}
