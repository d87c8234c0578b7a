import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiProblems,
  type Caller,
  CurrentCaller,
  Idempotent,
  type IdempotentRequest,
  IdParam,
} from '../../platform/http';
import { ticketKeyNotFound, tooManyTicketKeys } from './ticket.error';
import { CreatedTicketKeyDto, TicketKeyListDto, TicketKeysOf, TicketKeysQuery } from './ticket-key.dto';
import { TicketKeyService } from './ticket-key.service';

@ApiTags('tickets')
@Allow('sponsor')
@Controller('v1/ticket-keys')
export class TicketKeyController {
  constructor(private readonly keys: TicketKeyService) {}

  @Post()
  @ApiExamples(TicketKeysOf, { mine: {}, 'of a sponsor, by staff': { sponsorId: 'sponsor-1' } })
  @ApiOperation({
    operationId: 'createTicketKey',
    summary: 'Create a ticket key',
    description:
      'Tickets for this sponsor’s activities that require one (`"admission":"ticket"`) are JSON Web Tokens that ' +
      'this key signs with HS256, with the claims `activity`, `sub` (the user) and `exp`. All processes know the ' +
      'key within two seconds. HS256 uses the bytes after `whsec_`, decoded from base64; the user’s tap carries the ' +
      'ticket in the header `Ticket`. Several keys are valid at once: to rotate, create the new one, sign with it, and ' +
      'delete the old one.',
  })
  @ApiCreatedResponse({ type: CreatedTicketKeyDto })
  @ApiProblems(tooManyTicketKeys, ticketKeyNotFound)
  create(@Body() body: TicketKeysOf, @Idempotent() request: IdempotentRequest): Promise<CreatedTicketKeyDto> {
    return this.keys.create(request, body);
  }

  @Get()
  @ApiOperation({
    operationId: 'listTicketKeys',
    summary: 'List ticket keys',
    description: 'Newest first, without their secrets.',
  })
  @ApiOkResponse({ type: TicketKeyListDto })
  list(@Query() query: TicketKeysQuery, @CurrentCaller() caller: Caller): Promise<TicketKeyListDto> {
    return this.keys.list(caller, query);
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    operationId: 'deleteTicketKey',
    summary: 'Delete a ticket key',
    description: 'Its tickets are refused within two seconds.',
  })
  @ApiNoContentResponse({ description: 'The key is deleted.' })
  @ApiProblems(ticketKeyNotFound)
  delete(@IdParam() id: string, @CurrentCaller() caller: Caller): Promise<void> {
    return this.keys.delete(caller, id);
  }
}
