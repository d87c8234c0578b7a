import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiProblems,
  type Caller,
  CurrentCaller,
  Idempotent,
  type IdempotentRequest,
} from '../../platform/http';
import { CreateCurrencyBody, CURRENCY_EXAMPLES, CurrencyDto, CurrencyListDto } from './currency.dto';
import { currencyExists, tooManyCurrencies } from './currency.error';
import { CurrencyService } from './currency.service';

@ApiTags('wallets')
@Controller('v1/currencies')
export class CurrencyController {
  constructor(private readonly currencies: CurrencyService) {}

  @Post()
  @Allow('administer')
  @ApiExamples(CreateCurrencyBody, CURRENCY_EXAMPLES)
  @ApiOperation({
    operationId: 'createCurrency',
    summary: 'Add a currency',
    description:
      'From then on, wallets, activities and payout channels can use it. No transfer ever moves anything ' +
      'from one currency into another. A currency is never changed or deleted.',
  })
  @ApiCreatedResponse({ type: CurrencyDto })
  @ApiProblems(currencyExists, tooManyCurrencies)
  create(@Body() body: CreateCurrencyBody, @Idempotent() request: IdempotentRequest): Promise<CurrencyDto> {
    return this.currencies.create(request, body);
  }

  @Get()
  @Allow('read')
  @ApiOperation({
    operationId: 'listCurrencies',
    summary: 'List the currencies',
    description:
      'The default comes first; requests that do not name a currency use it. Only staff see the names of ' +
      'code pools.',
  })
  @ApiOkResponse({ type: CurrencyListDto })
  list(@CurrentCaller() caller: Caller): Promise<CurrencyListDto> {
    return this.currencies.list(caller);
  }
}
