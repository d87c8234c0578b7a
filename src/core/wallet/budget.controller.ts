import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Patch, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  type Caller,
  CurrentCaller,
  PersonIdParam,
  UserIdParam,
} from '../../platform/http';
import { BudgetDto, SetBudgetBody } from './budget.dto';
import { BudgetService } from './budget.service';
import { WalletQuery } from './wallet.dto';

@ApiTags('wallets')
@Controller('v1')
export class BudgetController {
  constructor(private readonly budgets: BudgetService) {}

  @Get('me/budget')
  @Allow('read')
  @ApiOperation({ operationId: 'readMyBudget', summary: 'Read my budget as a sponsor' })
  @ApiOkResponse({ type: BudgetDto })
  mine(@Query() query: WalletQuery, @CurrentCaller() { userId }: Caller): Promise<BudgetDto> {
    return this.budgets.read(userId, query);
  }

  @Get('wallets/:ownerId/budget')
  @Allow('inspect')
  @ApiOperation({ operationId: 'readBudget', summary: 'Read the budget of a sponsor' })
  @ApiOkResponse({ type: BudgetDto })
  read(@PersonIdParam('ownerId') ownerId: string, @Query() query: WalletQuery): Promise<BudgetDto> {
    return this.budgets.read(ownerId, query);
  }

  @Patch('wallets/:ownerId/budget')
  @Allow('administer')
  @ApiExamples(SetBudgetBody, { 'a day': { perDay: '5000.00' } })
  @ApiOperation({
    operationId: 'setBudget',
    summary: 'Set the budget of a sponsor',
    description:
      'Creations and top-ups that would move more than this from this wallet into activities in a UTC day are ' +
      'refused. Money already spent today counts, and returned money does not free any of the budget.',
  })
  @ApiOkResponse({ type: BudgetDto })
  set(
    @UserIdParam('ownerId') ownerId: string,
    @Body() body: SetBudgetBody,
    @CurrentCaller() caller: Caller,
  ): Promise<BudgetDto> {
    return this.budgets.set(caller, ownerId, body);
  }

  @Delete('wallets/:ownerId/budget')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Allow('administer')
  @ApiOperation({ operationId: 'deleteBudget', summary: 'Remove the budget of a sponsor' })
  @ApiNoContentResponse({ description: 'The wallet has no budget.' })
  async delete(
    @UserIdParam('ownerId') ownerId: string,
    @Query() query: WalletQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    await this.budgets.set(caller, ownerId, query);
  }
}
