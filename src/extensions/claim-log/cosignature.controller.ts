import { Body, Controller, Get, Header, HttpCode, HttpStatus, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../../../libs/problem';
import {
  ApiExamples,
  ApiProblems,
  busy,
  Public,
  RateLimit,
  rateLimited,
  RequestChecks,
} from '../../platform/http';
import { AS_TEXT, TEXT } from './checkpoint-text';
import {
  checkpointOld,
  cosignatureInvalid,
  logEmpty,
  noSuchCheckpoint,
  unknownWitness,
} from './claim-log.error';
import { COSIGNATURE_EXAMPLE, CosignatureBody, CosignatureDto } from './cosignature.dto';
import { CosignatureIntake } from './cosignature-intake';
import { CosignatureService } from './cosignature.service';

/** Refused requests per address. Valid lines of a witness are accepted even if its address is shared. */
const REFUSALS_PER_SECOND = 5;

@ApiTags('fairness')
@Controller('v1/log')
export class CosignatureController {
  private readonly refusals = new RateLimit(REFUSALS_PER_SECOND);

  constructor(
    private readonly intake: CosignatureIntake,
    private readonly cosignatures: CosignatureService,
    private readonly checks: RequestChecks,
  ) {}

  @Get('checkpoint-to-cosign')
  @Public()
  @Header('content-type', TEXT)
  @Header('cache-control', 'public, max-age=1')
  @ApiOperation({
    operationId: 'readCheckpointToCosign',
    summary: 'Read the checkpoint that witnesses sign now',
    description:
      'The last one before a full half minute, so that all witnesses sign the same. See docs/fairness.md.',
  })
  @ApiOkResponse(AS_TEXT)
  @ApiProblems(logEmpty)
  async due(): Promise<string> {
    const note = await this.cosignatures.due();
    if (note === undefined) throw logEmpty('No checkpoint is half a minute old yet.');
    return note;
  }

  @Post('cosignatures')
  @Public()
  @ApiExamples(CosignatureBody, { 'Of nine leaves': { size: 9, cosignature: COSIGNATURE_EXAMPLE } })
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'addCosignature',
    summary: 'Submit the cosignature of a witness',
    description:
      'By one of the keys in `CLAIM_LOG_WITNESSES`: no token is needed. Repeating the request changes nothing. A later ' +
      'cosignature of the same checkpoint replaces the one that is shown, if it is at least half an hour later.',
  })
  @ApiOkResponse({ type: CosignatureDto })
  @ApiProblems(unknownWitness, noSuchCheckpoint, cosignatureInvalid, checkpointOld, rateLimited, busy)
  async add(@Body() body: CosignatureBody, @Req() { raw }: FastifyRequest): Promise<CosignatureDto> {
    try {
      return await this.intake.add(body);
    } catch (error) {
      if (!(error instanceof Problem) || this.refusals.take(this.checks.addressOf(raw)) >= 0) throw error;
      throw rateLimited(
        `More than ${REFUSALS_PER_SECOND} cosignatures a second from this address are refused.`,
        { retryAfterSeconds: 1 },
      );
    }
  }
}
