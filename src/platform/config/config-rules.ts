import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import { isVerifierKey, witnessesFault } from '../../../libs/claim-log';
import { currencyDigits, isCurrencyCode, limitsIn, parseMoney } from '../../../libs/money';
import { parseRoleNames, ROLES } from '../../../libs/roles';
import { publicKeyAlgorithm, readPublicKey } from './public-key';
import { originFault } from './origin-fault';
import { parseServerAddresses } from './server-addresses';
import { parseTrustedProxies } from './trusted-proxies';
import { urlFault } from './url-fault';

/** The value that `.env.example` shows. It is public, so production refuses it. */
export const SAMPLE_JWT_SECRET = 'sample-secret-for-development-only-0123456789';

const SECRET_BYTES_MIN = 32;
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Plain decimal digits only: `1e3`, `0x10` and `7.5` are faults. */
export function Integer({ min, max }: { min: number; max: number }): PropertyDecorator {
  return parsed(
    (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
    (value) => typeof value === 'number' && value >= min && value <= max,
    `must be a whole number from ${min} to ${max}`,
  );
}

/** Plain decimal digits only. */
export function Ratio(): PropertyDecorator {
  return parsed(
    (text) => (/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/.test(text) ? Number(text) : undefined),
    (value) => typeof value === 'number',
    'must be a number from 0 to 1',
  );
}

/** Accepts these two words only. */
export function Switch(): PropertyDecorator {
  const values = new Map([
    ['true', true],
    ['false', false],
  ]);
  return parsed(
    (text) => values.get(text),
    (value) => typeof value === 'boolean',
    'must be true or false',
  );
}

/** A switch that makes development easier and an installation unsafe. */
export function NotInProduction(): PropertyDecorator {
  return rule(
    (value, { NODE_ENV }) => value !== true || NODE_ENV !== 'production',
    'must not be true in production',
  );
}

export function OnlyInDevelopment(): PropertyDecorator {
  return rule(
    (value, { NODE_ENV }) => value === undefined || NODE_ENV !== 'production',
    'must not be set in production',
  );
}

export function Needs(name: 'JWT_SECRET'): PropertyDecorator {
  const isUnset = (value: unknown) => value === undefined || value === false;
  return rule((value, config) => isUnset(value) || config[name] !== undefined, `needs ${name}`);
}

export function Trusted(): PropertyDecorator {
  return parsed(
    parseTrustedProxies,
    (value) => typeof value === 'number' || Array.isArray(value),
    'must be a number of proxies (1 to 10) or a comma separated list of CIDR ranges',
  );
}

/** Origins as a browser writes them in `Origin`. */
export function Origins(): PropertyDecorator {
  const read = ({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.split(',').map((origin) => origin.trim()) : value;
  const fault = (value: unknown) => (value as string[]).map(originFault).find((one) => one !== undefined);
  return applyDecorators(Transform(read), ruleWith(fault));
}

/** Comma-separated verifier keys of the witnesses who may sign checkpoints of the log of claims. */
export function WitnessKeys(): PropertyDecorator {
  const read = ({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.split(',').map((key) => key.trim()) : value;
  return applyDecorators(
    Transform(read),
    ruleWith((value) => witnessesFault(value as string[])),
  );
}

export function ServiceUrl(...schemes: string[]): PropertyDecorator {
  return ruleWith((value) => urlFault(value, schemes));
}

export function RedisUrl(): PropertyDecorator {
  return ruleWith((value) => (value === undefined ? undefined : urlFault(value, ['redis', 'rediss'])));
}

export function ServerAddresses(): PropertyDecorator {
  return parsed(
    parseServerAddresses,
    (value) => value === undefined || Array.isArray(value),
    'must be a comma separated list of addresses such as redis-1.internal:6379',
  );
}

export function Beside(other: string): PropertyDecorator {
  return rule(
    (value, config) => value === undefined || isSet(config, other),
    `must not be set without ${other}`,
  );
}

/** Required when the other setting is set, and refused when it is not. */
export function RequiredBeside(other: string): PropertyDecorator {
  return rule(
    (value, config) => (value !== undefined) === isSet(config, other),
    `must not be set without ${other}`,
  );
}

/** The other setting already decides this one. */
export function NotBeside(other: string): PropertyDecorator {
  return rule(
    (value, config) => value === undefined || value === false || !isSet(config, other),
    `must not be set together with ${other}, which contains it`,
  );
}

const isSet = (config: object, name: string): boolean => Reflect.get(config, name) !== undefined;

/** No amount in it would be real money. */
const ISO_TEST_CODE = 'XTS';

export function CurrencyCode(): PropertyDecorator {
  return rule(
    (value) => value !== ISO_TEST_CODE && isSupportedCurrency(value),
    `must be an ISO 4217 currency that is current, or was withdrawn since 2025, with at most three decimal digits, and not ${ISO_TEST_CODE}, which is for tests`,
  );
}

/** The zones of Node, which browsers know as well. */
export function ZoneName(): PropertyDecorator {
  return rule(isTimeZone, 'must be the name of a time zone, such as Asia/Shanghai');
}

/** A faulty currency is reported at its own setting. */
export function Amount(): PropertyDecorator {
  return rule(
    (value, { CURRENCY }) => !isSupportedCurrency(CURRENCY) || areAmounts(String(value), String(CURRENCY)),
    'must be an amount of CURRENCY, such as 1000, or of several, such as CNY=1000,COINS=50000',
  );
}

/** How many decimals points have is unknown until Postgres is connected. */
function areAmounts(text: string, currency: string): boolean {
  const limits = limitsIn(text, currency);
  const isAmount = ([code, figure]: readonly [string, string]) =>
    isCurrencyCode(code) &&
    parseMoney(figure, isSupportedCurrency(code) ? currencyDigits(code) : 2) !== undefined;
  return new Set(limits.map(([code]) => code)).size === limits.length && limits.every(isAmount);
}

/** A key in PEM, or as a JSON Web Key. */
const KEY_TEXT = /-----BEGIN |"kty"/;

/** Production refuses the published sample, and one character repeated. */
export function SigningSecret(): PropertyDecorator {
  return applyDecorators(
    rule(
      (value) =>
        value === undefined || (typeof value === 'string' && Buffer.byteLength(value) >= SECRET_BYTES_MIN),
      `must have at least ${SECRET_BYTES_MIN} bytes`,
    ),
    rule(
      (value) => value === undefined || (typeof value === 'string' && !KEY_TEXT.test(value)),
      'must be a random secret, not the text of a key: public keys are not secret',
    ),
    rule(
      (value, config) =>
        config.NODE_ENV !== 'production' || (value !== SAMPLE_JWT_SECRET && !isOneCharacter(value)),
      'must be a random secret of your own in production',
    ),
  );
}

const SEED = /^[A-Za-z0-9+/]{43}=$/;

/** Any 32 bytes make an AES-256 key or an Ed25519 private key. */
export function RandomKey(): PropertyDecorator {
  return rule(
    (value, { NODE_ENV }) =>
      value === undefined ||
      (typeof value === 'string' &&
        SEED.test(value) &&
        !(NODE_ENV === 'production' && new Set(value.slice(0, -2)).size === 1)),
    'must be 32 random bytes in base64',
  );
}

/** If the key was lost, only its public half may remain. */
export function FormerSigningSeed(): PropertyDecorator {
  return rule(
    (value) =>
      value === undefined || (typeof value === 'string' && (SEED.test(value) || isVerifierKey(value))),
    'must be 32 bytes in base64, or the text of GET /v1/log/key',
  );
}

/** Line breaks of the PEM may be `\n`: not every tool can put real ones into a variable. */
export function PublicKey(): PropertyDecorator {
  return parsed(
    readPublicKey,
    (value) => value === undefined || (typeof value === 'string' && publicKeyAlgorithm(value) !== undefined),
    'must be a public key in PEM: RSA of at least 2048 bits, EC P-256 or Ed25519',
  );
}

/** Requires TLS: the content must come from the server that it names. */
export function SecureUrl(): PropertyDecorator {
  const isSecure = (value: unknown) => {
    if (value === undefined) return true;
    if (typeof value !== 'string' || !URL.canParse(value)) return false;
    const { protocol, hostname } = new URL(value);
    return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
  };
  return rule(isSecure, 'must be a URL that starts with https://');
}

/** A user who can change the answer of this URL can make tokens. */
export function KeySetUrl(): PropertyDecorator {
  const isForUs = (value: unknown, { JWT_AUDIENCE, JWT_ISSUER }: Rules) =>
    value === undefined || (JWT_AUDIENCE !== undefined && JWT_ISSUER !== undefined);
  return applyDecorators(
    SecureUrl(),
    rule(isForUs, 'needs JWT_AUDIENCE and JWT_ISSUER: its keys sign tokens for others too'),
  );
}

/** Tokens signed with our own secret carry the role in `role`. */
export function ByProvider(): PropertyDecorator {
  return rule(
    (value, { JWT_SECRET }) => value === undefined || value === 'role' || JWT_SECRET === undefined,
    'must not be set together with JWT_SECRET, whose tokens carry the role in role',
  );
}

export function RoleNames(): PropertyDecorator {
  return parsed(
    parseRoleNames,
    (value) => value === undefined || typeof value === 'object',
    `must be a comma separated list such as operator=Rain.Operator, with roles from ${ROLES.join(', ')}`,
  );
}

/** Reports a fault once, at the first setting that it concerns. */
export function OnlyOneOf(names: readonly string[]): PropertyDecorator {
  return (target, property) => {
    const others = names.filter((name) => name !== property);
    const said = String(property);
    rule(
      (_, config) => {
        const set = names.filter((name) => isSet(config, name));
        return set.length === 1 || said !== (set[0] ?? names[0]);
      },
      `must be set alone, without ${others.join(' and ')}`,
    )(target, property);
  };
}

/** The other settings that a rule may read. */
interface Rules {
  readonly NODE_ENV?: unknown;
  readonly PORT?: unknown;
  readonly CURRENCY?: unknown;
  readonly JWT_SECRET?: unknown;
  readonly JWT_AUDIENCE?: unknown;
  readonly JWT_ISSUER?: unknown;
}

export function OtherPort(): PropertyDecorator {
  return rule((value, { PORT }) => value === 0 || value !== PORT, 'must differ from PORT');
}

function isTimeZone(value: unknown): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value as string });
    return typeof value === 'string';
  } catch {
    return false;
  }
}

function isSupportedCurrency(value: unknown): boolean {
  try {
    currencyDigits(String(value));
    return true;
  } catch {
    return false;
  }
}

function isOneCharacter(value: unknown): boolean {
  return new Set(String(value)).size === 1;
}

function parsed(
  parse: (text: string) => unknown,
  valid: (value: unknown) => boolean,
  message: string,
): PropertyDecorator {
  const toValue = ({ value }: { value: unknown }) =>
    typeof value === 'string' ? (parse(value) ?? value) : value;
  return applyDecorators(Transform(toValue), rule(valid, message));
}

function rule(valid: (value: unknown, config: Rules) => boolean, message: string): PropertyDecorator {
  return ValidateBy({
    name: message,
    validator: { validate: (value, args) => valid(value, args?.object ?? {}), defaultMessage: () => message },
  });
}

/** A rule whose message depends on the value: it returns what is wrong, or undefined. */
function ruleWith(fault: (value: unknown) => string | undefined): PropertyDecorator {
  return ValidateBy({
    name: 'fault',
    validator: {
      validate: (value) => fault(value) === undefined,
      defaultMessage: (args) => fault(args?.value) ?? '',
    },
  });
}
