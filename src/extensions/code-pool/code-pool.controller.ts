import { Body, Controller, Get, HttpCode, HttpStatus, Post, Query, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import {
  Allow,
  ApiExamples,
  ApiPage,
  ApiProblems,
  busy,
  type Caller,
  CurrentCaller,
  Heavy,
  Idempotent,
  type IdempotentRequest,
  IdParam,
  InTurn,
  type Page,
  streamedBody,
  StreamsBody,
} from '../../platform/http';
import { tooManyCurrencies } from '../../core/currency';
import { balanceLimitReached } from '../../core/wallet';
import {
  CODE_POOL_EXAMPLES,
  CodePoolDetailDto,
  CodePoolDto,
  CodePoolsQuery,
  CodeUploadDto,
  CreateCodePoolBody,
} from './code-pool.dto';
import {
  codeLineInvalid,
  codePoolNotFound,
  codeTwice,
  sealKeyMissing,
  tooManyCodes,
  uploadUnderWay,
} from './code-pool.error';
import { CodePoolService } from './code-pool.service';
import { CodeUploadService } from './code-upload.service';

const FORMATS = { 'text/csv': 'csv', 'application/x-ndjson': 'ndjson' } as const;

/** A million codes of 256 four-byte characters in NDJSON exceed this; they need several files. */
const BYTES_MAX = 512 * 1024 * 1024;

@ApiTags('codes')
@Allow('sponsor')
@Controller('v1/code-pools')
export class CodePoolController {
  constructor(
    private readonly pools: CodePoolService,
    private readonly uploads: CodeUploadService,
  ) {}

  @Post()
  @Allow('administer')
  @ApiExamples(CreateCodePoolBody, CODE_POOL_EXAMPLES)
  @ApiOperation({
    operationId: 'createCodePool',
    summary: 'Create a code pool',
    description:
      'A pool of codes, such as vouchers, that the activities of a sponsor give away. It comes with a currency of its ' +
      'own, in which one unit is one code. Neither is ever deleted. The sponsor and staff upload the codes.',
  })
  @ApiCreatedResponse({ type: CodePoolDto })
  @ApiProblems(sealKeyMissing, tooManyCurrencies)
  create(@Body() body: CreateCodePoolBody, @Idempotent() request: IdempotentRequest): Promise<CodePoolDto> {
    return this.pools.create(request, body);
  }

  @Get()
  @InTurn(5)
  @ApiOperation({
    operationId: 'listCodePools',
    summary: 'List code pools',
    description: 'Newest first. Users see their own, staff all.',
  })
  @ApiPage(CodePoolDto, 'Code pools')
  list(@Query() query: CodePoolsQuery, @CurrentCaller() caller: Caller): Promise<Page<CodePoolDto>> {
    return this.pools.list(caller, query);
  }

  @Get(':id')
  @InTurn(5)
  @ApiOperation({
    operationId: 'readCodePool',
    summary: 'Read a code pool',
    description:
      'How many codes are in each state, and which activities use them. No answer about a pool contains a ' +
      'code.',
  })
  @ApiOkResponse({ type: CodePoolDetailDto })
  @ApiProblems(codePoolNotFound)
  read(@IdParam() id: string, @CurrentCaller() caller: Caller): Promise<CodePoolDetailDto> {
    return this.pools.read(caller, id);
  }

  @Post(':id/codes')
  @HttpCode(HttpStatus.OK)
  @Heavy(20)
  @StreamsBody(FORMATS)
  @ApiOperation({
    operationId: 'uploadCodes',
    summary: 'Upload codes to a pool',
    description:
      'A file of at most 1,000,000 codes of 1 to 256 characters, as CSV with one code per line, or as ' +
      'NDJSON with `{"code":"…"}` and nothing else in each line. All of it is taken or nothing: if a code ' +
      'is already in the pool or the file, or was changed by a spreadsheet, the file is refused with the ' +
      'number of the line. Only the key decides whether a request is a repetition; files are not compared.',
  })
  @ApiOkResponse({ type: CodeUploadDto })
  @ApiProblems(codePoolNotFound, codeLineInvalid, codeTwice, tooManyCodes, uploadUnderWay, sealKeyMissing)
  @ApiProblems(balanceLimitReached, busy)
  upload(
    @IdParam() id: string,
    @Idempotent() request: IdempotentRequest,
    @Req() http: FastifyRequest,
  ): Promise<CodeUploadDto> {
    return streamedBody(http, FORMATS, BYTES_MAX, (bytes, format) =>
      this.uploads.upload(request, id, format, bytes),
    );
  }
}
