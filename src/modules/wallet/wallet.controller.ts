import { Body, Controller, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  Allow,
  ApiPage,
  ApiProblems,
  type Caller,
  CurrentCaller,
  Idempotent,
  type IdempotentRequest,
  IdempotencyService,
  UserIdParam,
} from '../../platform/http';
import { ApprovalDto } from '../approval';
import { DepositService } from './deposit.service';
import { DepositBody, DepositDto, EntriesQuery, EntryDto, MyWalletDto, WalletDto } from './wallet.dto';
import { balanceLimitReached, walletFrozen } from './wallet.error';
import type { HistoryPage } from './credit-chain';
import { WalletService } from './wallet.service';

@ApiTags('wallets')
@Controller('v1')
export class WalletController {
  constructor(
    private readonly wallets: WalletService,
    private readonly deposits: DepositService,
    private readonly idempotency: IdempotencyService,
  ) {}

  @Post('wallets/:ownerId/deposits')
  @Allow('manage-money')
  @ApiOperation({
    summary: 'Deposit',
    description:
      'Brings money from the outside world into a wallet. Beyond `APPROVAL_ABOVE` and `APPROVAL_ABOVE_DAILY` it is answered ' +
      '202 instead, and waits for somebody else to approve it.',
  })
  @ApiCreatedResponse({ type: DepositDto })
  @ApiAcceptedResponse({
    type: ApprovalDto,
    description: 'Nothing has moved: somebody else has to approve it.',
  })
  @ApiProblems(walletFrozen, balanceLimitReached)
  deposit(
    @UserIdParam('ownerId') ownerId: string,
    @Body() body: DepositBody,
    @Idempotent() request: IdempotentRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<DepositDto | ApprovalDto> {
    return this.deposits.deposit(request, caller, ownerId, body);
  }

  @Get('me/wallet')
  @Allow('read')
  @ApiOperation({ summary: 'My wallet' })
  @ApiOkResponse({ type: MyWalletDto })
  mine(@CurrentCaller() caller: Caller): Promise<MyWalletDto> {
    return this.wallets.mine(caller.userId);
  }

  @Get('me/wallet/entries')
  @Allow('read')
  @ApiOperation({ summary: 'Ledger lines of my wallet', description: 'Newest first.' })
  @ApiPage(EntryDto, 'Ledger lines', { archived: 'Whether older ones were archived, and are not listed.' })
  myEntries(@Query() query: EntriesQuery, @CurrentCaller() caller: Caller): Promise<HistoryPage<EntryDto>> {
    return this.wallets.entries(caller.userId, query);
  }

  @Get('wallets/:ownerId')
  @Allow('inspect')
  @ApiOperation({ summary: 'Read a wallet', description: 'An owner without a wallet has an empty one.' })
  @ApiOkResponse({ type: WalletDto })
  read(@UserIdParam('ownerId') ownerId: string): Promise<WalletDto> {
    return this.wallets.read(ownerId);
  }

  @Get('wallets/:ownerId/entries')
  @Allow('inspect')
  @ApiOperation({ summary: 'Ledger lines of a wallet', description: 'Newest first.' })
  @ApiPage(EntryDto, 'Ledger lines', { archived: 'Whether older ones were archived, and are not listed.' })
  entries(
    @UserIdParam('ownerId') ownerId: string,
    @Query() query: EntriesQuery,
  ): Promise<HistoryPage<EntryDto>> {
    return this.wallets.entries(ownerId, query);
  }

  @Post('wallets/:ownerId/freeze')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiOperation({
    summary: 'Freeze a wallet',
    description:
      'Claims that should be paid into it become dead letters, to be replayed once it is unfrozen.',
  })
  @ApiOkResponse({ type: WalletDto })
  freeze(
    @UserIdParam('ownerId') ownerId: string,
    @Idempotent() request: IdempotentRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<WalletDto> {
    return this.idempotency.once(request, (tx) => this.wallets.setStatus(tx, caller, ownerId, 'frozen'));
  }

  @Post('wallets/:ownerId/unfreeze')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiOperation({ summary: 'Unfreeze a wallet', description: 'Its dead letters wait for a replay.' })
  @ApiOkResponse({ type: WalletDto })
  unfreeze(
    @UserIdParam('ownerId') ownerId: string,
    @Idempotent() request: IdempotentRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<WalletDto> {
    return this.idempotency.once(request, (tx) => this.wallets.setStatus(tx, caller, ownerId, 'active'));
  }
}
