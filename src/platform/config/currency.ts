import { Injectable } from '@nestjs/common';
import { type CurrencyDigits, currencyDigits, formatMoney, parseMoney } from '../../../libs/money';
import { AppConfig } from './app-config';

/** The currency of this installation. */
@Injectable()
export class Currency {
  /** ISO 4217. */
  readonly code: string;
  readonly digits: CurrencyDigits;

  constructor(config: AppConfig) {
    this.code = config.CURRENCY;
    this.digits = currencyDigits(config.CURRENCY);
  }

  /** Clients see 710n as "7.10". */
  format(minor: bigint): string {
    return formatMoney(minor, this.digits);
  }

  /** The text must have passed validation. */
  parse(text: string): bigint {
    const minor = parseMoney(text, this.digits);
    if (minor === undefined) throw new TypeError('not an amount of money');
    return minor;
  }
}
