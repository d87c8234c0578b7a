import { createHash } from 'node:crypto';
import { csvLine } from '../../../libs/csv';
import { unavailable } from '../../platform/http';
import type { KnownCurrency } from '../../core/currency';
import { CAMT } from './camt';
import {
  counterpartyOf,
  type Digests,
  endOf,
  type Format,
  FORMATS,
  formatsOf,
  isLate,
  type Line,
  startOf,
  type Statement,
  type Writing,
} from './statement';

const JSON_TEXT: Writing = {
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
      isLate: isLate(line, statement),
    }),
  foot: () => '\n]}\n',
};

const CSV_COLUMNS = [
  ...['transferId', 'kind', 'amount', 'currency', 'counterparty', 'activityId', 'payoutId', 'at', 'isLate'],
];

/** The first line and the last are the balances, so a file without the last is not whole. */
const CSV_TEXT: Writing = {
  contentType: 'text/csv; charset=utf-8; header=present',
  extension: 'csv',
  head: ({ day, openingMinor }, currency) =>
    csvLine(CSV_COLUMNS) + csvBalance('opening', openingMinor, startOf(day), currency),
  line: (line, statement, currency) =>
    csvLine([
      ...[line.transferId, line.kind, currency.format(line.amountMinor), currency.code, counterpartyOf(line)],
      ...[line.activityId, line.payoutId, line.at.toISOString(), String(isLate(line, statement))],
    ]),
  foot: ({ day, closingMinor }, currency) => csvBalance('closing', closingMinor, endOf(day), currency),
};

function csvBalance(what: string, minor: bigint, at: Date, currency: KnownCurrency): string {
  return csvLine([
    ...[null, what, currency.format(minor), currency.code, null],
    ...[null, null, at.toISOString(), null],
  ]);
}

/**
 * Every version that has ever issued a statement. Whoever changes a byte of a text adds a version and leaves the one
 * before as it is: statements that it issued are written by it for ever.
 */
const VERSIONS: Readonly<Record<number, Readonly<Record<Format, Writing>>>> = {
  1: { json: JSON_TEXT, csv: CSV_TEXT, camt053: CAMT },
};

/** The one that issues statements now. */
export const TEXTS_VERSION = 1;

export const isKnownVersion = ({ textsVersion }: Statement): boolean => textsVersion in VERSIONS;

/** @throws unavailable while a newer program beside this one has issued the statement */
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

/** Of all texts, in one reading. */
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
