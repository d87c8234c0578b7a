import { Injectable } from '@nestjs/common';
import { Currencies } from '../../../core/currency';
import { decodeCursor, type Page } from '../../../platform/http';
import { type PayoutDto, type PayoutsQuery, toPayoutPage } from './payout.dto';
import { PayoutRepository } from './payout.repository';

@Injectable()
export class PayoutLists {
  constructor(
    private readonly payouts: PayoutRepository,
    private readonly currencies: Currencies,
  ) {}

  async list({ limit, cursor, ...filter }: PayoutsQuery): Promise<Page<PayoutDto>> {
    const rows = await this.payouts.list(filter, decodeCursor(cursor), limit + 1);
    return toPayoutPage(rows, limit, this.currencies);
  }
}
