import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, ApiExamples, InTurn } from '../../../platform/http';
import { ApiOutlet } from '../../outlet';
import { SplitPreviewBody, SplitPreviewDto } from './preview.dto';
import { SplitPreviews } from './split-previews';
import { PREVIEW_EXAMPLES } from '../create/create-examples';

@ApiTags('activities')
@Allow('sponsor')
@Controller('v1/split-previews')
export class PreviewController {
  constructor(private readonly previews: SplitPreviews) {}

  @Post()
  @InTurn(20)
  @HttpCode(HttpStatus.OK)
  @ApiExamples(SplitPreviewBody, PREVIEW_EXAMPLES)
  @ApiOperation({
    operationId: 'previewSplit',
    summary: 'Preview a split',
    description:
      'Shows packets of these terms before any money moves. Random amounts are an example: the activity draws its ' +
      'own, which stay secret until they are won. Terms that cannot be met are refused as they would be at ' +
      'creation.',
  })
  @ApiOkResponse({ type: SplitPreviewDto })
  @ApiOutlet()
  preview(@Body() body: SplitPreviewBody): Promise<SplitPreviewDto> {
    return this.previews.previewSplit(body);
  }
}
