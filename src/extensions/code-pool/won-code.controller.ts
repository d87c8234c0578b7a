import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiPage,
  ApiProblems,
  type Caller,
  CurrentCaller,
  IdParam,
  InTurn,
  type Page,
  PageQuery,
} from '../../platform/http';
import { walletFrozen } from '../../core/wallet';
import { codeNotCredited, codeNotFound, sealKeyMissing } from './code-pool.error';
import { SeenCodeDto, WonCodeDto } from './won-code.dto';
import { WonCodeService } from './won-code.service';

@ApiTags('grabs')
@Allow('read')
@Controller('v1/me')
export class WonCodeController {
  constructor(private readonly codes: WonCodeService) {}

  @Get('packets/:redPacketId/code')
  @InTurn(5)
  @ApiOperation({
    operationId: 'readMyCode',
    summary: 'Read the code of my packet',
    description:
      'For a packet in a currency of codes, once it is credited. The first time that the code is shown is ' +
      'recorded; from then on it never returns to its pool. A frozen wallet shows no code that its owner ' +
      'has not seen before.',
  })
  @ApiOkResponse({ type: WonCodeDto })
  @ApiProblems(codeNotFound, codeNotCredited, walletFrozen, sealKeyMissing)
  read(@IdParam('redPacketId') redPacketId: string, @CurrentCaller() caller: Caller): Promise<WonCodeDto> {
    return this.codes.show(caller.userId, redPacketId);
  }

  @Get('codes')
  @InTurn(5)
  @ApiOperation({
    operationId: 'listMyCodes',
    summary: 'List the codes that I have seen',
    description:
      'Codes of the newest activities first, including archived activities. Items do not contain the code ' +
      'itself.',
  })
  @ApiPage(SeenCodeDto, 'My codes')
  list(@Query() query: PageQuery, @CurrentCaller() caller: Caller): Promise<Page<SeenCodeDto>> {
    return this.codes.seenBy(caller.userId, query);
  }
}
