import { createHmac } from 'node:crypto';
import type { Role } from '../../../../libs/roles';

const SECONDS_PER_HOUR = 3_600;
const HEADER = { alg: 'HS256', typ: 'JWT' };

export interface TokenClaims {
  readonly sub: string;
  readonly role: Role;
  /** Required with the role `channel`. */
  readonly channel_id?: string;
}

export interface TokenSettings {
  readonly secret: string;
  readonly audience?: string;
  /** `aud` unless given. */
  readonly audienceClaim?: string;
  readonly issuer?: string;
}

/** Makes an HS256 bearer token, with an audience and an issuer where the API requires them. */
export function signToken(
  { secret, audience, audienceClaim, issuer }: TokenSettings,
  claims: TokenClaims,
  hours = 24,
): string {
  const iat = Math.floor(Date.now() / 1000);
  const exp = iat + Math.round(hours * SECONDS_PER_HOUR);
  const payload = {
    ...claims,
    iat,
    exp,
    ...(audience && { [audienceClaim || 'aud']: audience }),
    ...(issuer && { iss: issuer }),
  };
  const signed = `${encode(HEADER)}.${encode(payload)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
