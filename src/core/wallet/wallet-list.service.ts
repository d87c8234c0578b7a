import { Injectable } from '@nestjs/common';
import { decodeCursor, encodeCursor, type Page, toPage } from '../../platform/http';
import { Currencies, type KnownCurrency } from '../currency';
import { transferNotFound } from './wallet.error';
import type {
  DepositsQuery,
  ListedWalletDto,
  SponsorDto,
  SponsorsQuery,
  TransferDto,
  WalletsQuery,
} from './wallet-list.dto';
import {
  type FoundTransfer,
  type ListedSponsor,
  SPONSORS_LOOKED_AT_MAX,
  WalletListRepository,
} from './wallet-list.repository';

@Injectable()
export class WalletListService {
  constructor(
    private readonly lists: WalletListRepository,
    private readonly currencies: Currencies,
  ) {}

  async wallets({ limit, cursor, currency: code, ...filter }: WalletsQuery): Promise<Page<ListedWalletDto>> {
    const currency = await this.currencies.named({ currency: code });
    const rows = await this.lists.wallets(currency.code, filter, decodeCursor(cursor), limit + 1);
    const { items, nextCursor } = toPage(rows, limit, ({ id }) => id);
    return {
      items: items.map(({ ownerId, balanceMinor, status, createdAt }) => ({
        ownerId,
        balance: currency.format(balanceMinor),
        currency: currency.code,
        status,
        createdAt: createdAt.toISOString(),
      })),
      nextCursor,
    };
  }

  async sponsors({
    limit,
    cursor,
    sponsorId = '',
    currency: code,
  }: SponsorsQuery): Promise<Page<SponsorDto>> {
    const currency = await this.currencies.named({ currency: code });
    const lookedAtMax = sponsorId === '' ? limit + 1 : SPONSORS_LOOKED_AT_MAX;
    const { found, lookedTo } = await this.lists.sponsors(
      currency.code,
      sponsorId,
      decodeCursor(cursor),
      lookedAtMax,
    );
    const { items, nextCursor } = toPage(found, limit, ({ id }) => id);
    const rest = found.length > limit || lookedTo === null ? nextCursor : encodeCursor(lookedTo);
    return { items: items.map((row) => sponsorView(row, currency)), nextCursor: rest };
  }

  /** @throws transferNotFound */
  async transfer(id: string): Promise<TransferDto> {
    const transfer = await this.lists.transfer(id);
    if (!transfer) throw transferNotFound(`No transfer has the id ${id}, or it was archived.`);
    return this.transferView(transfer);
  }

  async deposits({ limit, cursor, reference }: DepositsQuery): Promise<Page<TransferDto>> {
    const rows = await this.lists.deposits(reference, decodeCursor(cursor), limit + 1);
    const { items, nextCursor } = toPage(rows, limit, ({ id }) => id);
    return { items: await Promise.all(items.map((row) => this.transferView(row))), nextCursor };
  }

  private async transferView({
    id,
    kind,
    amountMinor,
    activityId,
    reference,
    at,
    ...ends
  }: FoundTransfer): Promise<TransferDto> {
    const currency = await this.currencies.of(ends.currency);
    return {
      transferId: id,
      kind,
      amount: currency.format(amountMinor),
      currency: currency.code,
      from: { kind: ends.fromKind, ownerId: ends.fromOwner },
      to: { kind: ends.toKind, ownerId: ends.toOwner },
      activityId,
      reference,
      at: at.toISOString(),
    };
  }
}

const sponsorView = (
  { ownerId, balanceMinor, inActivitiesMinor, activities, status }: ListedSponsor,
  currency: KnownCurrency,
): SponsorDto => ({
  sponsorId: ownerId,
  balance: currency.format(balanceMinor),
  inActivities: currency.format(inActivitiesMinor),
  currency: currency.code,
  activities,
  status,
});
