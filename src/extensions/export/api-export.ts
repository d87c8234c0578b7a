import { applyDecorators, Get, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiProduces, getSchemaPath } from '@nestjs/swagger';
import { ApiProblems, busy, notAcceptable } from '../../platform/http';
import { activityArchived, activityNotFound } from '../../core/activity';
import { ClaimLineDto, ExportEndDto, PayoutLineDto, ResultLineDto, TransferLineDto } from './export.dto';
import { nothingToExport } from './export.error';
import { FORMATS, type Row } from './export-format';
import { COLUMNS, type ExportKind } from './export-lines';

interface Documented {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly line: Type;
  readonly example: Row;
}

const MONEY = { amount: '7.10', currency: 'CNY' };
const CONFIRMED_AT = '2031-01-01T00:00:00.000Z';
const CREDITED_AT = '2031-01-01T00:00:00.125Z';
const CLAIM = { redPacketId: '10000042', userId: 'u1', ...MONEY, confirmedAt: CONFIRMED_AT };

const DOCUMENTED: Readonly<Record<ExportKind, Documented>> = {
  claims: {
    operationId: 'exportClaims',
    summary: 'Export the claims of an activity',
    description: 'Sorted by packet.',
    line: ClaimLineDto,
    example: { ...CLAIM, claimId: '42', settlement: 'credited', creditedAt: CREDITED_AT },
  },
  ledger: {
    operationId: 'exportLedger',
    summary: 'Export the ledger of an activity',
    description: 'First deposits into escrow, then credits to winners, then refunds to the sponsor.',
    line: TransferLineDto,
    example: {
      ...MONEY,
      transferId: '17',
      kind: 'credit',
      from: 'escrow:1',
      to: 'wallet:u1',
      claimId: '42',
      at: CREDITED_AT,
    },
  },
  payouts: {
    operationId: 'exportPayouts',
    summary: 'Export the payout states of the credits of an activity',
    description: 'Sorted by packet. Empty if credits stay in the wallet.',
    line: PayoutLineDto,
    example: {
      ...MONEY,
      claimId: '42',
      userId: 'u1',
      state: 'paid',
      payoutId: '17',
      externalId: 'T-2031-0042',
      endedAt: CREDITED_AT,
    },
  },
  results: {
    operationId: 'exportResults',
    summary: 'Export the result of every packet',
    description: 'Sorted by packet, including unclaimed packets. Available once the activity has ended.',
    line: ResultLineDto,
    example: { ...CLAIM, outcome: 'credited' },
  },
};

const WHOLE =
  'The export holds everything that existed when it began, each row once, as it was when it was read. Rows that are added ' +
  'in the meantime may be included.\n\n' +
  "- CSV: as in RFC 4180, with a header line. A value that a spreadsheet would take for a formula begins with `'`.\n" +
  '- NDJSON: one object per line; the last line is `{"end":true,"rows":…}`.\n\n' +
  'An export is incomplete when the connection breaks before its end, or when NDJSON lacks its last line.';

const TEXT = { type: 'string' as const };

const reference = (type: Type): { $ref: string } => ({ $ref: getSchemaPath(type) });

export function GetExport(kind: ExportKind): MethodDecorator {
  const { operationId, summary, description, line } = DOCUMENTED[kind];
  const { csv, ndjson } = FORMATS;
  const lines = `A line. The last one is an \`ExportEndDto\`, each before it a \`${line.name}\`.`;
  return applyDecorators(
    Get(kind),
    ApiOperation({ operationId, summary, description: `${description} ${WHOLE}` }),
    ApiExtraModels(line, ExportEndDto),
    ApiProduces(csv.mediaType, ndjson.mediaType),
    ApiOkResponse({
      description: 'The lines, streamed.',
      headers: { 'Content-Disposition': { description: 'A name for the file.', schema: TEXT } },
      content: {
        [csv.mediaType]: { schema: TEXT, example: csvOf(kind) },
        [ndjson.mediaType]: {
          schema: { oneOf: [line, ExportEndDto].map(reference), description: lines },
          example: DOCUMENTED[kind].example,
        },
      },
    }),
    ApiProblems(activityNotFound, activityArchived, nothingToExport, notAcceptable, busy),
  );
}

function csvOf(kind: ExportKind): string {
  const columns = COLUMNS[kind];
  return FORMATS.csv.head(columns) + FORMATS.csv.line(DOCUMENTED[kind].example, columns);
}
