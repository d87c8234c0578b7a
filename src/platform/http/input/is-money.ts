import {
  useContainer,
  Validate,
  type ValidationArguments,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { type CurrencyDigits, parseMoney } from '../../../../libs/money';

const DECIMALS = /^(0|[1-9]\d{0,14})\.\d+$/;

const MOST_DECIMALS: Readonly<Record<CurrencyDigits, string>> = {
  0: 'must have no decimals in this currency',
  1: 'must have at most one decimal in this currency',
  2: 'must have at most two decimals',
};

@ValidatorConstraint({ name: 'isMoney' })
class MoneyConstraint implements ValidatorConstraintInterface {
  constructor(private readonly digits: CurrencyDigits) {}

  validate(value: unknown): boolean {
    const minor = parseMoney(value, this.digits);
    return minor !== undefined && minor > 0n;
  }

  defaultMessage({ value }: ValidationArguments): string {
    if (typeof value === 'string' && DECIMALS.test(value) && parseMoney(value, this.digits) === undefined)
      return MOST_DECIMALS[this.digits];
    const example = this.digits === 0 ? '710' : '7.10'.slice(0, 2 + this.digits);
    return `must be an amount of money above zero, written as text such as "${example}"`;
  }
}

/** An amount above zero in the configured currency, kept as text for `parseMoney`. */
export function IsMoney(): PropertyDecorator {
  return Validate(MoneyConstraint);
}

/**
 * Sets the decimals of `IsMoney`. Decorators are evaluated before there is a configuration, but
 * class-validator asks a container for the rule when it checks a value.
 */
export function useMoneyDigits(digits: CurrencyDigits): void {
  const constraint = new MoneyConstraint(digits);
  const get = (type: unknown) => (type === MoneyConstraint ? constraint : undefined);
  useContainer({ get: get as <T>(type: unknown) => T }, { fallback: true });
}
