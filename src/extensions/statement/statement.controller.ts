import { applyDecorators, Controller, Get, Query, Res } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import {
  acceptedType,
  Allow,
  ApiProblems,
  busy,
  type Caller,
  CurrentCaller,
  DayParam,
  Heavy,
  notAcceptable,
  streamAnswer,
  PersonIdParam,
} from '../../platform/http';
import { type Format, FORMATS } from './statement';
import { StatementDto, WalletStatementQuery } from './statement.dto';
import {
  dayArchived,
  dayNotOver,
  dayTooFar,
  dayTooLong,
  statementNotFound,
  statementOfPlayMoney,
} from './statement.error';
import { StatementService } from './statement.service';

const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json',
  csv: 'text/csv',
  camt053: 'application/xml',
};

const DAY = 'UTC, such as 2031-02-03. It has to be over.';

const DESCRIPTION =
  'The opening balance, every movement and the closing balance of a UTC day that is over. The first request for a day ' +
  'issues its statement, which never changes: each format stays the same, byte for byte. What is posted later is in the ' +
  'statement of the day after. A movement that is dated before or after its day is marked as late or early.\n\n' +
  '`csv` has the balances as its first and its last line. `camt053` is ISO 20022 camt.053.001.08, in currencies of ISO ' +
  '4217 only. An answer is incomplete when the connection breaks before its end.';

const TEXT = { type: 'string' as const };

function GetStatement(path: string, operationId: string, summary: string): MethodDecorator {
  return applyDecorators(
    Get(path),
    Heavy(20),
    ApiOperation({ operationId, summary, description: DESCRIPTION }),
    ApiExtraModels(StatementDto),
    ApiProduces(...Object.values(MEDIA_TYPES)),
    ApiOkResponse({
      description: 'The statement, streamed.',
      headers: {
        'Content-Disposition': { description: 'A name for the file.', schema: TEXT },
        'Repr-Digest': { description: 'SHA-256 of the body, as in RFC 9530.', schema: TEXT },
      },
      content: {
        [MEDIA_TYPES.json]: { schema: { $ref: getSchemaPath(StatementDto) } },
        [MEDIA_TYPES.csv]: { schema: TEXT },
        [MEDIA_TYPES.camt053]: { schema: TEXT },
      },
    }),
    ApiProblems(dayNotOver, statementNotFound, statementOfPlayMoney, dayArchived, dayTooFar, dayTooLong),
    ApiProblems(notAcceptable, busy),
  );
}

@ApiTags('wallets')
@Controller('v1')
export class StatementController {
  constructor(private readonly statements: StatementService) {}

  @GetStatement('me/statements/:day', 'readMyStatement', 'Read the statement of a day of my wallet')
  @Allow('read')
  mine(
    @DayParam('day', DAY) day: string,
    @Query() query: WalletStatementQuery,
    @CurrentCaller() caller: Caller,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.send(caller.userId, day, query, caller, reply);
  }

  @GetStatement(
    'wallets/:ownerId/statements/:day',
    'readStatement',
    'Read the statement of a day of a wallet',
  )
  @Allow('inspect')
  read(
    @PersonIdParam('ownerId') ownerId: string,
    @DayParam('day', DAY) day: string,
    @Query() query: WalletStatementQuery,
    @CurrentCaller() caller: Caller,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.send(ownerId, day, query, caller, reply);
  }

  private async send(
    ownerId: string,
    day: string,
    query: WalletStatementQuery,
    caller: Caller,
    reply: FastifyReply,
  ): Promise<void> {
    const format = query.format ?? acceptedFormat(reply.request.headers.accept);
    await this.statements.write(
      { ownerId, day, currency: query.currency, format, caller },
      ({ contentType, name, digest, text }, signal) => {
        const headers = {
          'content-type': contentType,
          'content-disposition': `attachment; filename="${name}"`,
          'repr-digest': `sha-256=:${digest.toString('base64')}:`,
        };
        return streamAnswer(reply, headers, text, signal);
      },
    );
  }
}

/** @throws notAcceptable */
function acceptedFormat(accept: string | undefined): Format {
  const { json, csv, camt053 } = MEDIA_TYPES as Record<Format, string>;
  const type = acceptedType(accept, [json, csv, camt053]);
  const format = FORMATS.find((one) => MEDIA_TYPES[one] === type);
  if (format === undefined) throw notAcceptable(`Accept ${json}, ${csv} or ${camt053}.`);
  return format;
}
