import { Body, Controller, Get, HttpCode, HttpStatus, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiPage,
  ApiProblems,
  type Caller,
  CurrentCaller,
  Heavy,
  Idempotent,
  type IdempotentRequest,
  IdParam,
  type Page,
  PageQuery,
} from '../../platform/http';
import { ApiBacking } from '../../core/currency';
import { ApiOutlet } from '../../core/outlet';
import {
  OccurrenceDto,
  SERIES_EXAMPLES,
  SERIES_PREVIEW_EXAMPLES,
  SeriesBody,
  SeriesDto,
  SeriesPreviewBody,
  SeriesPreviewDto,
  SeriesQuery,
} from './series.dto';
import { seriesEnded, seriesNotFound, tooManySeries } from './series.error';
import { SeriesService } from './series.service';

@ApiTags('series')
@Allow('schedule')
@Controller('v1/series')
export class SeriesController {
  constructor(private readonly series: SeriesService) {}

  @Post()
  @Heavy(20)
  @ApiExamples(SeriesBody, SERIES_EXAMPLES)
  @ApiOperation({
    operationId: 'createSeries',
    summary: 'Create a series of activities',
    description:
      'Each occurrence of the rule becomes an activity with these terms, created and funded `createAheadHours` before ' +
      'it opens, or is listed as missed with the reason. The terms are checked now; money moves with each activity. ' +
      'The instants of a `pace` are those of the first occurrence.',
  })
  @ApiCreatedResponse({ type: SeriesDto })
  @ApiProblems(tooManySeries)
  @ApiBacking()
  @ApiOutlet()
  create(@Body() body: SeriesBody, @Idempotent() request: IdempotentRequest): Promise<SeriesDto> {
    return this.series.create(request, body);
  }

  @Post('previews')
  @Heavy(20)
  @HttpCode(HttpStatus.OK)
  @ApiExamples(SeriesPreviewBody, SERIES_PREVIEW_EXAMPLES)
  @ApiOperation({
    operationId: 'previewSeries',
    summary: 'Preview the occurrences of a series',
    description: 'When a series with this rule would open and close. Nothing is created.',
  })
  @ApiOkResponse({ type: SeriesPreviewDto })
  preview(@Body() body: SeriesPreviewBody): Promise<SeriesPreviewDto> {
    return this.series.preview(body);
  }

  @Get()
  @ApiOperation({ operationId: 'listSeries', summary: 'List series', description: 'Newest first.' })
  @ApiPage(SeriesDto, 'Series')
  list(@Query() query: SeriesQuery): Promise<Page<SeriesDto>> {
    return this.series.list(query);
  }

  @Get(':id')
  @ApiOperation({ operationId: 'readSeries', summary: 'Read a series' })
  @ApiOkResponse({ type: SeriesDto })
  @ApiProblems(seriesNotFound)
  read(@IdParam() id: string): Promise<SeriesDto> {
    return this.series.read(id);
  }

  @Put(':id')
  @Heavy(20)
  @ApiExamples(SeriesBody, SERIES_EXAMPLES)
  @ApiOperation({
    operationId: 'changeSeries',
    summary: 'Change a series',
    description:
      'Replaces all of its terms, for occurrences that are not created yet. Activities that already exist stay as they ' +
      'are. `count` counts from `start`, including occurrences that were created or missed.',
  })
  @ApiOkResponse({ type: SeriesDto })
  @ApiProblems(seriesNotFound, seriesEnded)
  @ApiBacking()
  @ApiOutlet()
  change(
    @IdParam() id: string,
    @Body() body: SeriesBody,
    @CurrentCaller() caller: Caller,
  ): Promise<SeriesDto> {
    return this.series.replace(caller, id, body);
  }

  @Post(':id/pause')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'pauseSeries',
    summary: 'Pause a series',
    description:
      'Occurrences that open while it is paused are missed. Activities that already exist stay as they are.',
  })
  @ApiOkResponse({ type: SeriesDto })
  @ApiProblems(seriesNotFound, seriesEnded)
  pause(@IdParam() id: string, @Idempotent() request: IdempotentRequest): Promise<SeriesDto> {
    return this.series.pause(request, id);
  }

  @Post(':id/resume')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ operationId: 'resumeSeries', summary: 'Resume a series' })
  @ApiOkResponse({ type: SeriesDto })
  @ApiProblems(seriesNotFound, seriesEnded)
  resume(@IdParam() id: string, @Idempotent() request: IdempotentRequest): Promise<SeriesDto> {
    return this.series.resume(request, id);
  }

  @Post(':id/end')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'endSeries',
    summary: 'End a series',
    description: 'This is final. Activities that already exist stay as they are.',
  })
  @ApiOkResponse({ type: SeriesDto })
  @ApiProblems(seriesNotFound, seriesEnded)
  end(@IdParam() id: string, @Idempotent() request: IdempotentRequest): Promise<SeriesDto> {
    return this.series.end(request, id);
  }

  @Get(':id/occurrences')
  @ApiOperation({
    operationId: 'listOccurrences',
    summary: 'List the occurrences of a series',
    description: 'All that were created or missed, newest first.',
  })
  @ApiPage(OccurrenceDto, 'Occurrences')
  @ApiProblems(seriesNotFound)
  occurrences(@IdParam() id: string, @Query() page: PageQuery): Promise<Page<OccurrenceDto>> {
    return this.series.listOccurrences(id, page);
  }
}
