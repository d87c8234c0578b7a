import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, ApiPage, ApiProblems, IdParam, type Page } from '../../platform/http';
import { transferNotFound } from './wallet.error';
import {
  DepositsQuery,
  ListedWalletDto,
  SponsorDto,
  SponsorsQuery,
  TransferDto,
  WalletsQuery,
} from './wallet-list.dto';
import { WalletListService } from './wallet-list.service';

/** How staff find wallets, sponsors and transfers. */
@ApiTags('wallets')
@Allow('inspect')
@Controller('v1')
export class WalletListController {
  constructor(private readonly lists: WalletListService) {}

  @Get('wallets')
  @ApiOperation({
    operationId: 'listWallets',
    summary: 'List wallets',
    description: 'Sorted by the bytes of the owners’ ids.',
  })
  @ApiPage(ListedWalletDto, 'Wallets')
  wallets(@Query() query: WalletsQuery): Promise<Page<ListedWalletDto>> {
    return this.lists.wallets(query);
  }

  @Get('sponsors')
  @ApiOperation({
    operationId: 'listSponsors',
    summary: 'List sponsors with their money',
    description:
      'Everyone who has ever paid for an activity, sorted by id. With a filter, a page may have fewer ' +
      'items ' +
      `than \`limit\`, or none, and still have a \`nextCursor\`: 500 sponsors were searched for it.`,
  })
  @ApiPage(SponsorDto, 'Sponsors')
  sponsors(@Query() query: SponsorsQuery): Promise<Page<SponsorDto>> {
    return this.lists.sponsors(query);
  }

  @Get('transfers/:transferId')
  @ApiOperation({
    operationId: 'readTransfer',
    summary: 'Read a transfer',
    description: 'A line of the ledger by its id: which account paid, and which received.',
  })
  @ApiOkResponse({ type: TransferDto })
  @ApiProblems(transferNotFound)
  transfer(@IdParam('transferId') id: string): Promise<TransferDto> {
    return this.lists.transfer(id);
  }

  @Get('deposits')
  @ApiOperation({
    operationId: 'listDeposits',
    summary: 'Find deposits by their reference',
    description: 'Newest first. Several deposits may have the same reference.',
  })
  @ApiPage(TransferDto, 'Deposits')
  deposits(@Query() query: DepositsQuery): Promise<Page<TransferDto>> {
    return this.lists.deposits(query);
  }
}
