import type { KnownCurrency } from '../../core/currency';
import {
  counterpartyOf,
  dayOf,
  endOf,
  isEarly,
  isLate,
  type Line,
  startOf,
  type Statement,
  type Writing,
} from './statement';

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08';

const ISSUER = 'hongbao';

/** A version's remark about an entry that is dated outside its day. */
type Remark = (line: Line, statement: Statement) => string | undefined;

export const lateText: Remark = (line, statement) =>
  isLate(line, statement) ? 'Late: dated before this day.' : undefined;

export const earlyText: Remark = (line, statement) =>
  isEarly(line, statement) ? 'Early: dated after this day.' : undefined;

/**
 * ISO 20022 camt.053.001.08. Every value is a number, a moment or a word of this program, so none has a character
 * that XML would have to escape.
 */
export const camtText = (remark: Remark): Writing => ({
  contentType: 'application/xml; charset=utf-8',
  extension: 'xml',
  head(statement, currency) {
    const { accountId, day, movements, issuedAt } = statement;
    const id = `${accountId}-${day}`;
    const created = element('CreDtTm', issuedAt.toISOString());
    const lastMoment = new Date(endOf(day).getTime() - 1);
    return (
      `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${NAMESPACE}"><BkToCstmrStmt>` +
      element('GrpHdr', element('MsgId', id) + created) +
      `<Stmt>${element('Id', id)}${element('ElctrncSeqNb', dayNoOf(day))}${created}` +
      element(
        'FrToDt',
        element('FrDtTm', startOf(day).toISOString()) + element('ToDtTm', lastMoment.toISOString()),
      ) +
      element(
        'Acct',
        element('Id', element('Othr', element('Id', accountId))) + element('Ccy', currency.code),
      ) +
      balance('OPBD', statement.openingMinor, day, currency) +
      balance('CLBD', statement.closingMinor, day, currency) +
      element('TxsSummry', element('TtlNtries', element('NbOfNtries', String(movements))))
    );
  },
  line(line, statement, currency) {
    return `\n${element('Ntry', entry(line, statement, currency, remark(line, statement)))}`;
  },
  foot: () => '\n</Stmt></BkToCstmrStmt></Document>\n',
});

/** Days are numbered consecutively, so an importer sees if one is missing. */
const dayNoOf = (day: string): string => String(startOf(day).getTime() / 86_400_000);

const element = (name: string, content: string): string => `<${name}>${content}</${name}>`;

/** Amounts have no sign: each is followed by its direction. */
function amount(minor: bigint, currency: KnownCurrency): string {
  const text = currency.format(minor < 0n ? -minor : minor);
  return `<Amt Ccy="${currency.code}">${text}</Amt>${element('CdtDbtInd', minor < 0n ? 'DBIT' : 'CRDT')}`;
}

function balance(code: string, minor: bigint, day: string, currency: KnownCurrency): string {
  const type = element('Tp', element('CdOrPrtry', element('Cd', code)));
  return `\n${element('Bal', type + amount(minor, currency) + element('Dt', element('Dt', day)))}`;
}

/**
 * A late or early entry is booked on this day, with its own day as the value date: many importers read only
 * days.
 */
function entry(line: Line, statement: Statement, currency: KnownCurrency, remark?: string): string {
  const { transferId, kind, amountMinor, at } = line;
  return (
    element('NtryRef', transferId) +
    amount(amountMinor, currency) +
    element('Sts', element('Cd', 'BOOK')) +
    element('BookgDt', element('Dt', statement.day)) +
    element('ValDt', element('Dt', dayOf(at))) +
    element('AcctSvcrRef', transferId) +
    element('BkTxCd', element('Prtry', element('Cd', kind) + element('Issr', ISSUER))) +
    element('NtryDtls', element('TxDtls', details(line, currency))) +
    (remark ? element('AddtlNtryInf', remark) : '')
  );
}

/** Repeats the amount, since many importers take it from here. */
function details(line: Line, currency: KnownCurrency): string {
  const reference = line.activityId ?? line.payoutId;
  const proprietary =
    reference === null
      ? ''
      : element('Prtry', element('Tp', counterpartyOf(line)) + element('Ref', reference));
  return (
    element('Refs', element('AcctSvcrRef', line.transferId) + proprietary) +
    amount(line.amountMinor, currency) +
    element('RltdDts', element('TxDtTm', line.at.toISOString()))
  );
}
