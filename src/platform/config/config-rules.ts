import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import { currencyDigits } from '../../../libs/money';
import { SAMPLE_JWT_SECRET } from './sample-secret';
import { parseTrustedProxies } from './trusted-proxies';

const SECRET_BYTES_MIN = 32;

/** A whole number in plain decimal digits; anything else (`1e3`, `0x10`, `7.5`) is a fault, not a guess. */
export function Integer({ min, max }: { min: number; max: number }): PropertyDecorator {
  return parsed(
    (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
    (value) => typeof value === 'number' && value >= min && value <= max,
    `must be a whole number from ${min} to ${max}`,
  );
}

export function Trusted(): PropertyDecorator {
  return parsed(
    parseTrustedProxies,
    (value) => typeof value === 'number' || Array.isArray(value),
    'must be a number of proxies (1 to 10) or a comma separated list of CIDR ranges',
  );
}

export function ServiceUrl(...schemes: string[]): PropertyDecorator {
  const isServiceUrl = (value: unknown) =>
    typeof value === 'string' &&
    URL.canParse(value) &&
    schemes.includes(new URL(value).protocol.slice(0, -1));
  return rule(isServiceUrl, `must be a URL that starts with ${schemes.join(':// or ')}://`);
}

export function CurrencyCode(): PropertyDecorator {
  return rule(isSupportedCurrency, 'must be an ISO 4217 code with at most two decimal digits');
}

/** Long enough always; in production also neither the published sample nor one character over and over. */
export function SigningSecret(): PropertyDecorator {
  return applyDecorators(
    rule(
      (value) => typeof value === 'string' && Buffer.byteLength(value) >= SECRET_BYTES_MIN,
      `must have at least ${SECRET_BYTES_MIN} bytes`,
    ),
    rule(
      (value, config) =>
        config.NODE_ENV !== 'production' || (value !== SAMPLE_JWT_SECRET && !isOneCharacter(value)),
      'must be a random secret of your own in production',
    ),
  );
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

function rule(
  valid: (value: unknown, config: { NODE_ENV?: unknown }) => boolean,
  message: string,
): PropertyDecorator {
  return ValidateBy({
    name: message,
    validator: { validate: (value, args) => valid(value, args?.object ?? {}), defaultMessage: () => message },
  });
}
