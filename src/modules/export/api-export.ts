import { applyDecorators, Get, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiProduces, getSchemaPath } from '@nestjs/swagger';
import { ApiProblems, busy, notAcceptable } from '../../platform/http';
import { activityArchived, activityNotFound } from '../activity';
import { ClaimLineDto, ExportEndDto, ResultLineDto, TransferLineDto } from './export.dto';
import { FORMATS, type Row } from './export-format';
import { COLUMNS, type ExportKind } from './export-lines';

interface Documented {
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
    summary: 'Export who won what',
    description: 'In the order of packets.',
    line: ClaimLineDto,
    example: { ...CLAIM, claimId: '42', settlement: 'credited', creditedAt: CREDITED_AT },
  },
  ledger: {
    summary: 'Export the transfers of the money',
    description:
      'First what came into the escrow, then what winners were paid, then what went back to the sponsor.',
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
  results: {
    summary: 'Export what became of every packet',
    description: 'In their order, those that nobody took included. Only once the activity has ended.',
    line: ResultLineDto,
    example: { ...CLAIM, outcome: 'credited' },
  },
};

const WHOLE =
  'What was there when the export began is in it once, each line as it was when it was read; ' +
  'what comes while it is read may be in it too.\n\n' +
  "- CSV as in RFC 4180, with a line of names first. A value that a spreadsheet would take for a formula has a `'` before it.\n" +
  '- NDJSON: an object a line, and last `{"end":true,"rows":…}`.\n\n' +
  'A connection that ends before the answer does means that something is missing, and so does NDJSON without its last line.';

const TEXT = { type: 'string' as const };

const reference = (type: Type): { $ref: string } => ({ $ref: getSchemaPath(type) });

/** A route of an export, with its documentation. */
export function GetExport(kind: ExportKind): MethodDecorator {
  const { summary, description, line } = DOCUMENTED[kind];
  const { csv, ndjson } = FORMATS;
  const lines = `A line. The last one is an \`ExportEndDto\`, each before it a \`${line.name}\`.`;
  return applyDecorators(
    Get(kind),
    ApiOperation({ summary, description: `${description} ${WHOLE}` }),
    ApiExtraModels(line, ExportEndDto),
    ApiProduces(csv.mediaType, ndjson.mediaType),
    ApiOkResponse({
      description: 'The lines, as they are read.',
      headers: { 'Content-Disposition': { description: 'A name for the file.', schema: TEXT } },
      content: {
        [csv.mediaType]: { schema: TEXT, example: csvOf(kind) },
        [ndjson.mediaType]: {
          schema: { oneOf: [line, ExportEndDto].map(reference), description: lines },
          example: DOCUMENTED[kind].example,
        },
      },
    }),
    ApiProblems(activityNotFound, activityArchived, notAcceptable, busy),
  );
}

function csvOf(kind: ExportKind): string {
  const columns = COLUMNS[kind];
  return FORMATS.csv.head(columns) + FORMATS.csv.line(DOCUMENTED[kind].example, columns);
}
