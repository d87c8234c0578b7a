import { createPublicKey, type KeyObject } from 'node:crypto';

export type PublicKeyAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA';

const CURVES: Readonly<Record<string, PublicKeyAlgorithm>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

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
      return CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''];
    case 'ed25519':
      return 'EdDSA';
    default:
      return undefined;
  }
}

/** An RSA key signs with any of six algorithms, any other key with only one. */
export function fitsAlgorithm(pem: string, algorithm: string): boolean {
  return publicKeyAlgorithm(pem) === algorithm.replace(/^[RP]S\d{3}$/, 'RS256');
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
