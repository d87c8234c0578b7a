import { createPublicKey, type KeyObject } from 'node:crypto';

export type PublicKeyAlgorithm = 'RS256' | 'ES256' | 'EdDSA';

const RSA_BITS_MIN = 2048;
const PUBLIC_PEM = /^-----BEGIN (RSA )?PUBLIC KEY-----\n/;

export const readPublicKey = (text: string): string => text.replaceAll('\\n', '\n').trim();

/** Returns the one algorithm of a public key; undefined for private, weak and unknown keys. */
export function publicKeyAlgorithm(pem: string): PublicKeyAlgorithm | undefined {
  const key = parse(pem);
  switch (key?.asymmetricKeyType) {
    case 'rsa':
      return (key.asymmetricKeyDetails?.modulusLength ?? 0) >= RSA_BITS_MIN ? 'RS256' : undefined;
    case 'ec':
      return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? 'ES256' : undefined;
    case 'ed25519':
      return 'EdDSA';
    default:
      return undefined;
  }
}

/** Private keys are refused first: Node would derive a public key, but none belongs here. */
function parse(pem: string): KeyObject | undefined {
  if (!PUBLIC_PEM.test(pem)) return undefined;
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}
