import { Controller, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiPage,
  ApiProblems,
  Idempotent,
  type IdempotentRequest,
  IdParam,
  InTurn,
  type Page,
  PageQuery,
  PersonIdParam,
} from '../../platform/http';
import { ApiSecondPerson, type PendingDeed } from '../../core/second-person';
import { ErasureDto, StandingDto } from './erasure.dto';
import {
  alreadyForgotten,
  dutyToKeep,
  erasureFinal,
  erasureNotFound,
  erasureRequested,
  notAtRest,
} from './erasure.error';
import { ErasureService } from './erasure.service';

@ApiTags('erasures')
@Controller('v1')
export class ErasureController {
  constructor(private readonly erasures: ErasureService) {}

  @Post('users/:id/erasures')
  @HttpCode(HttpStatus.OK)
  @Allow('administer')
  @ApiOperation({
    operationId: 'requestErasure',
    summary: 'Forget a person',
    description:
      'Replaces this id with a pseudonym everywhere, which cannot be undone. A second person has to approve the ' +
      'erasure; the operators of the installation then carry it out. Refused while anything is under way for this ' +
      'person, or while their records have to be kept.',
  })
  @ApiOkResponse({ type: ErasureDto })
  @ApiSecondPerson({ pending: 'Nobody is forgotten yet. A second person has to approve it.' })
  @ApiProblems(notAtRest, dutyToKeep, erasureRequested, alreadyForgotten)
  request(
    @PersonIdParam('id') id: string,
    @Idempotent() request: IdempotentRequest,
  ): Promise<ErasureDto | PendingDeed> {
    return this.erasures.askToErase(request, id);
  }

  @Get('users/:id/standing')
  @InTurn(5)
  @Allow('inspect')
  @ApiOperation({
    operationId: 'readStanding',
    summary: 'Ask whether a person can be forgotten now',
    description: 'Names everything that is under way, and until when records have to be kept.',
  })
  @ApiOkResponse({ type: StandingDto })
  standing(@PersonIdParam('id') id: string): Promise<StandingDto> {
    return this.erasures.standing(id);
  }

  @Get('erasures')
  @InTurn(5)
  @Allow('inspect')
  @ApiOperation({ operationId: 'listErasures', summary: 'List erasures', description: 'Newest first.' })
  @ApiPage(ErasureDto, 'Erasures')
  list(@Query() query: PageQuery): Promise<Page<ErasureDto>> {
    return this.erasures.list(query);
  }

  @Get('erasures/:id')
  @Allow('inspect')
  @ApiOperation({ operationId: 'readErasure', summary: 'Read an erasure' })
  @ApiOkResponse({ type: ErasureDto })
  @ApiProblems(erasureNotFound)
  read(@IdParam() id: string): Promise<ErasureDto> {
    return this.erasures.read(id);
  }

  @Post('erasures/:id/withdraw')
  @HttpCode(HttpStatus.OK)
  @Allow('administer')
  @ApiOperation({
    operationId: 'withdrawErasure',
    summary: 'Withdraw an erasure',
    description: 'The person is not forgotten. An erasure can be withdrawn until it begins.',
  })
  @ApiOkResponse({ type: ErasureDto })
  @ApiProblems(erasureNotFound, erasureFinal)
  withdraw(@IdParam() id: string, @Idempotent() request: IdempotentRequest): Promise<ErasureDto> {
    return this.erasures.withdraw(request, id);
  }
}
