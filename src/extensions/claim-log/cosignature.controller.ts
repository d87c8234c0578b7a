import { Body, Controller, Get, Header, HttpCode, HttpStatus, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Slots } from '../../../libs/slots';
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
import { CosignatureService } from './cosignature.service';

/** A witness signs twice a minute. Several may share an address. */
const PER_SECOND = 5;
/** Half of them are for callers without a token, which witnesses are. */
const SLOTS = 4;

@ApiTags('fairness')
@Controller('v1/log')
export class CosignatureController {
  private readonly limit = new RateLimit(PER_SECOND);
  private readonly slots = new Slots(SLOTS);

  constructor(
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
    summary: 'Hand in the cosignature of a witness',
    description:
      'By one of the keys in `CLAIM_LOG_WITNESSES`: no token is needed. The first cosignature of a checkpoint by a ' +
      'witness is kept, and repeating the request changes nothing.',
  })
  @ApiOkResponse({ type: CosignatureDto })
  @ApiProblems(unknownWitness, noSuchCheckpoint, cosignatureInvalid, checkpointOld, rateLimited, busy)
  add(@Body() body: CosignatureBody, @Req() { raw }: FastifyRequest): Promise<CosignatureDto> {
    if (this.limit.take(this.checks.addressOf(raw)) < 0)
      throw rateLimited(`More than ${PER_SECOND} cosignatures a second from this address.`, {
        retryAfterSeconds: 1,
      });
    return this.slots.run(
      'user',
      () => this.cosignatures.add(body),
      () => busy('Too many hand in cosignatures at once; try again.', { retryAfterSeconds: 1 }),
    );
  }
}
