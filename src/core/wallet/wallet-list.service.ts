import { Injectable } from '@nestjs/common';
import { Currency } from '../../platform/config';
import { decodeCursor, encodeCursor, type Page, toPage } from '../../platform/http';
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
    private readonly currency: Currency,
  ) {}

  async wallets({ limit, cursor, ...filter }: WalletsQuery): Promise<Page<ListedWalletDto>> {
    const rows = await this.lists.wallets(filter, decodeCursor(cursor), limit + 1);
    const { items, nextCursor } = toPage(rows, limit, ({ id }) => id);
    return {
      items: items.map(({ ownerId, balanceMinor, status, createdAt }) => ({
        ownerId,
        balance: this.currency.format(balanceMinor),
        currency: this.currency.code,
        status,
        createdAt: createdAt.toISOString(),
      })),
      nextCursor,
    };
  }

  async sponsors({ limit, cursor, sponsorId = '' }: SponsorsQuery): Promise<Page<SponsorDto>> {
    const lookedAtMax = sponsorId === '' ? limit + 1 : SPONSORS_LOOKED_AT_MAX;
    const { found, lookedTo } = await this.lists.sponsors(sponsorId, decodeCursor(cursor), lookedAtMax);
    const { items, nextCursor } = toPage(found, limit, ({ id }) => id);
    const rest = found.length > limit || lookedTo === null ? nextCursor : encodeCursor(lookedTo);
    return { items: items.map((row) => this.sponsorView(row)), nextCursor: rest };
  }

  private sponsorView({ ownerId, balanceMinor, inActivitiesMinor, ...row }: ListedSponsor): SponsorDto {
    return {
      sponsorId: ownerId,
      balance: this.currency.format(balanceMinor),
      inActivities: this.currency.format(inActivitiesMinor),
      currency: this.currency.code,
      activities: row.activities,
      status: row.status,
    };
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
    return { items: items.map((row) => this.transferView(row)), nextCursor };
  }

  private transferView({
    id,
    kind,
    amountMinor,
    activityId,
    reference,
    at,
    ...ends
  }: FoundTransfer): TransferDto {
    return {
      transferId: id,
      kind,
      amount: this.currency.format(amountMinor),
      currency: this.currency.code,
      from: { kind: ends.fromKind, ownerId: ends.fromOwner },
      to: { kind: ends.toKind, ownerId: ends.toOwner },
      activityId,
      reference,
      at: at.toISOString(),
    };
  }
}
