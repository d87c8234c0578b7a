import { Injectable } from '@nestjs/common';
import { Currency, currencyDigits } from '../../../libs/money';
import { AppConfig } from './app-config';

/** The currency of amounts that name none, and of those that older programs know. */
@Injectable()
export class DefaultCurrency extends Currency {
  constructor({ CURRENCY }: AppConfig) {
    super(CURRENCY, currencyDigits(CURRENCY));
  }
}
