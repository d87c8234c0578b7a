import { createHash } from 'node:crypto';
import { csvLine } from '../../../libs/csv';
import { unavailable } from '../../platform/http';
import type { KnownCurrency } from '../../core/currency';
import { camtText, earlyText, lateText } from './camt';
import {
  counterpartyOf,
  type Digests,
  endOf,
  type Format,
  FORMATS,
  formatsOf,
  isEarly,
  isLate,
  type Line,
  startOf,
  type Statement,
  type Writing,
} from './statement';

/** A version's marks for a movement that is dated outside its day. */
type Marks = (line: Line, statement: Statement) => Readonly<Record<string, boolean>>;

const late: Marks = (line, statement) => ({ isLate: isLate(line, statement) });
const lateAndEarly: Marks = (line, statement) => ({
  ...late(line, statement),
  isEarly: isEarly(line, statement),
});

const jsonText = (marks: Marks): Writing => ({
  contentType: 'application/json; charset=utf-8',
  extension: 'json',
  head: (statement, currency) =>
    `${JSON.stringify({
      account: statement.accountId,
      currency: currency.code,
      day: statement.day,
      opening: currency.format(statement.openingMinor),
      closing: currency.format(statement.closingMinor),
      count: statement.movements,
      issuedAt: statement.issuedAt.toISOString(),
    }).slice(0, -1)},"movements":[`,
  line: (line, statement, currency, no) =>
    (no === 0 ? '\n' : ',\n') +
    JSON.stringify({
      transferId: line.transferId,
      kind: line.kind,
      amount: currency.format(line.amountMinor),
      counterparty: counterpartyOf(line),
      activityId: line.activityId,
      payoutId: line.payoutId,
      at: line.at.toISOString(),
      ...marks(line, statement),
    }),
  foot: () => '\n]}\n',
});

const CSV_COLUMNS = [
  'transferId',
  'kind',
  'amount',
  'currency',
  'counterparty',
  'activityId',
  'payoutId',
  'at',
];

/** The first line and the last are the balances, so a file without the last is incomplete. */
const csvText = (names: readonly string[], marks: Marks): Writing => {
  const balance = (what: string, minor: bigint, at: Date, currency: KnownCurrency): string =>
    csvLine([
      ...[null, what, currency.format(minor), currency.code, null],
      ...[null, null, at.toISOString(), ...names.map(() => null)],
    ]);
  return {
    contentType: 'text/csv; charset=utf-8; header=present',
    extension: 'csv',
    head: ({ day, openingMinor }, currency) =>
      csvLine([...CSV_COLUMNS, ...names]) + balance('opening', openingMinor, startOf(day), currency),
    line: (line, statement, currency) =>
      csvLine([
        ...[line.transferId, line.kind, currency.format(line.amountMinor), currency.code],
        ...[counterpartyOf(line), line.activityId, line.payoutId, line.at.toISOString()],
        ...Object.values(marks(line, statement)).map(String),
      ]),
    foot: ({ day, closingMinor }, currency) => balance('closing', closingMinor, endOf(day), currency),
  };
};

/**
 * Every version that has ever issued a statement. To change a byte of a text, add a version and leave the
 * previous one as it is: statements that it issued are written by it forever.
 */
const VERSIONS: Readonly<Record<number, Readonly<Record<Format, Writing>>>> = {
  1: { json: jsonText(late), csv: csvText(['isLate'], late), camt053: camtText(lateText) },
  2: {
    json: jsonText(lateAndEarly),
    csv: csvText(['isLate', 'isEarly'], lateAndEarly),
    camt053: camtText((line, statement) => lateText(line, statement) ?? earlyText(line, statement)),
  },
};

/** The one that issues statements now. */
export const TEXTS_VERSION = 2;

export const isKnownVersion = ({ textsVersion }: Statement): boolean => textsVersion in VERSIONS;

/** @throws unavailable if a newer program that runs alongside this one has issued the statement */
export function writingOf(format: Format, { textsVersion }: Statement): Writing {
  const writings = VERSIONS[textsVersion];
  if (!writings) throw unavailable('A newer server has issued this statement.', { retryAfterSeconds: 5 });
  return writings[format];
}

/** A chunk for each page. */
export async function* textOf(
  format: Format,
  statement: Statement,
  currency: KnownCurrency,
  pages: AsyncIterable<readonly Line[]>,
): AsyncGenerator<string> {
  const { head, line, foot } = writingOf(format, statement);
  let text = head(statement, currency);
  let no = 0;
  for await (const page of pages) {
    yield text + page.map((one) => line(one, statement, currency, no++)).join('');
    text = '';
  }
  yield text + foot(statement, currency);
}

/** The digests of all texts, in one pass. */
export async function digestsOf(
  statement: Statement,
  currency: KnownCurrency,
  pages: AsyncIterable<readonly Line[]>,
): Promise<Digests> {
  const hashes = formatsOf(currency).map((format) => {
    return { format, writing: writingOf(format, statement), hash: createHash('sha256') };
  });
  for (const { writing, hash } of hashes) hash.update(writing.head(statement, currency));
  let no = 0;
  for await (const page of pages) {
    for (const { writing, hash } of hashes)
      hash.update(page.map((line, i) => writing.line(line, statement, currency, no + i)).join(''));
    no += page.length;
  }
  const digests = hashes.map(({ format, writing, hash }) => {
    return [format, hash.update(writing.foot(statement, currency)).digest()] as const;
  });
  return Object.fromEntries(
    FORMATS.map((format) => [format, new Map(digests).get(format) ?? null]),
  ) as Digests;
}
