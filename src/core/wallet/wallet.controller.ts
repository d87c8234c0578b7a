import { Body, Controller, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiPage,
  ApiProblems,
  type Caller,
  InTurn,
  CurrentCaller,
  IdempotencyService,
  Idempotent,
  type IdempotentRequest,
  IdParam,
  PersonIdParam,
  UserIdParam,
} from '../../platform/http';
import { ApiSecondPerson, type PendingDeed } from '../second-person';
import { DepositService } from './deposit.service';
import {
  DepositBody,
  DepositDto,
  EntriesQuery,
  EntryDto,
  MyWalletDto,
  ReversalDto,
  ReverseDepositBody,
  WalletDto,
  WalletListDto,
  WalletQuery,
} from './wallet.dto';
import {
  balanceLimitReached,
  depositNotFound,
  depositKept,
  depositReversed,
  insufficientFunds,
  walletFrozen,
} from './wallet.error';
import type { HistoryPage } from './credit-chain';
import { ReversalService } from './reversal.service';
import { WalletService } from './wallet.service';

const NEWEST_FIRST =
  'Newest first. With a filter, a page may have fewer items than `limit`, or none, and still have a `nextCursor`: ' +
  '200 lines were searched for it.';

@ApiTags('wallets')
@Controller('v1')
export class WalletController {
  constructor(
    private readonly wallets: WalletService,
    private readonly deposits: DepositService,
    private readonly reversals: ReversalService,
    private readonly idempotency: IdempotencyService,
  ) {}

  @Post('wallets/:ownerId/deposits')
  @Allow('manage-money')
  @ApiExamples(DepositBody, {
    amount: { amount: '100.00' },
    'with a reference': { amount: '100.00', reference: 'Bank transfer 2031-02-01/0042' },
  })
  @ApiOperation({
    operationId: 'depositMoney',
    summary: 'Deposit money',
    description: 'Brings money from outside into a wallet.',
  })
  @ApiCreatedResponse({ type: DepositDto })
  @ApiSecondPerson({
    deed: 'A deposit',
    pending: 'No money has moved. A second person has to approve the deposit.',
  })
  @ApiProblems(walletFrozen, balanceLimitReached)
  deposit(
    @UserIdParam('ownerId') ownerId: string,
    @Body() body: DepositBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<DepositDto | PendingDeed> {
    return this.deposits.deposit(request, ownerId, body);
  }

  @Post('deposits/:transferId/reverse')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiExamples(ReverseDepositBody, { 'a mistake': { reason: 'Deposited twice by mistake.' } })
  @ApiOperation({
    operationId: 'reverseDeposit',
    summary: 'Reverse a deposit',
    description:
      'Takes a deposit that was a mistake back out of its wallet, even if the wallet is frozen: all of it, or nothing ' +
      'if the wallet no longer holds that much. A second person has to approve it, whatever the amount. A deposit can ' +
      'be reversed only once.',
  })
  @ApiOkResponse({ type: ReversalDto })
  @ApiSecondPerson({ pending: 'No money has moved. A second person has to approve the reversal.' })
  @ApiProblems(depositNotFound, depositKept, depositReversed, insufficientFunds)
  reverse(
    @IdParam('transferId') transferId: string,
    @Body() body: ReverseDepositBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<ReversalDto | PendingDeed> {
    return this.reversals.askToReverse(request, transferId, body);
  }

  @Get('me/wallet')
  @Allow('read')
  @ApiOperation({ operationId: 'readMyWallet', summary: 'Read my wallet' })
  @ApiOkResponse({ type: MyWalletDto })
  mine(@Query() query: WalletQuery, @CurrentCaller() caller: Caller): Promise<MyWalletDto> {
    return this.wallets.mine(caller.userId, query);
  }

  @Get('me/wallets')
  @Allow('read')
  @ApiOperation({
    operationId: 'listMyWallets',
    summary: 'List my wallets',
    description:
      'One for each currency in which you have ever had anything, and the one in the default currency.',
  })
  @ApiOkResponse({ type: WalletListDto })
  allOfMine(@CurrentCaller() caller: Caller): Promise<WalletListDto> {
    return this.wallets.allOf(caller.userId);
  }

  @Get('me/wallet/entries')
  @InTurn(20)
  @Allow('read')
  @ApiOperation({
    operationId: 'listMyWalletEntries',
    summary: 'List the ledger lines of my wallet',
    description: NEWEST_FIRST,
  })
  @ApiPage(EntryDto, 'Ledger lines', { archived: 'True when older ones were archived and are not listed.' })
  myEntries(@Query() query: EntriesQuery, @CurrentCaller() caller: Caller): Promise<HistoryPage<EntryDto>> {
    return this.wallets.entries(caller.userId, query);
  }

  @Get('wallets/:ownerId')
  @Allow('inspect')
  @ApiOperation({
    operationId: 'readWallet',
    summary: 'Read a wallet',
    description: 'An owner without a wallet has the balance 0.',
  })
  @ApiOkResponse({ type: WalletDto })
  read(@PersonIdParam('ownerId') ownerId: string, @Query() query: WalletQuery): Promise<WalletDto> {
    return this.wallets.read(ownerId, query);
  }

  @Get('wallets/:ownerId/entries')
  @Allow('inspect')
  @ApiOperation({
    operationId: 'listWalletEntries',
    summary: 'List the ledger lines of a wallet',
    description: NEWEST_FIRST,
  })
  @ApiPage(EntryDto, 'Ledger lines', { archived: 'True when older ones were archived and are not listed.' })
  entries(
    @PersonIdParam('ownerId') ownerId: string,
    @Query() query: EntriesQuery,
  ): Promise<HistoryPage<EntryDto>> {
    return this.wallets.entries(ownerId, query);
  }

  @Post('wallets/:ownerId/freeze')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiOperation({
    operationId: 'freezeWallet',
    summary: 'Freeze a wallet',
    description:
      'Claims of this user become dead letters instead of being paid. They can be replayed once the wallet is ' +
      'unfrozen.',
  })
  @ApiOkResponse({ type: WalletDto })
  freeze(
    @UserIdParam('ownerId') ownerId: string,
    @Query() query: WalletQuery,
    @Idempotent() request: IdempotentRequest,
  ): Promise<WalletDto> {
    return this.idempotency.once(request, (tx) =>
      this.wallets.setStatus(tx, request.caller, ownerId, 'frozen', query),
    );
  }

  @Post('wallets/:ownerId/unfreeze')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiOperation({
    operationId: 'unfreezeWallet',
    summary: 'Unfreeze a wallet',
    description: 'The dead letters of this user stay open until they are replayed.',
  })
  @ApiOkResponse({ type: WalletDto })
  unfreeze(
    @UserIdParam('ownerId') ownerId: string,
    @Query() query: WalletQuery,
    @Idempotent() request: IdempotentRequest,
  ): Promise<WalletDto> {
    return this.idempotency.once(request, (tx) =>
      this.wallets.setStatus(tx, request.caller, ownerId, 'active', query),
    );
  }
}
