import { spawnSync } from 'node:child_process';
import { KnownCurrency } from '../../core/currency';
import { TRANSFER_KINDS } from '../../core/wallet';
import type { Line, Statement } from './statement';
import { TEXTS_VERSION, textOf } from './texts';

interface Element {
  readonly name: string;
  readonly attributes: string;
  readonly children: Element[];
  text: string;
}

/**
 * An element of the published schema: its children in their order, or what its text has to be. Of a choice only the
 * branch that we write is here, and of a text only our way to write it: no rule accepts what the schema refuses.
 */
interface Rule {
  readonly children?: readonly (readonly [name: string, rule: Rule, least: number, most: number])[];
  readonly text?: (text: string) => boolean;
  readonly attributes?: RegExp;
}

const text = (pattern: RegExp): Rule => ({ text: (value) => pattern.test(value) });
const sequence = (...children: NonNullable<Rule['children']>): Rule => ({ children });
const one = (name: string, rule: Rule) => [name, rule, 1, 1] as const;
const optional = (name: string, rule: Rule) => [name, rule, 0, 1] as const;
const any = (name: string, rule: Rule, least = 0) => [name, rule, least, Infinity] as const;

const MAX34 = text(/^.{1,34}$/);
const MAX35 = text(/^.{1,35}$/);
const MAX500 = text(/^.{1,500}$/);
const CODE4 = text(/^.{1,4}$/);
const isMoment = (value: string): boolean =>
  /^(?!0000)\d{4}-/.test(value) && new Date(value).toJSON() === value;
const DATE: Rule = { text: (value) => isMoment(`${value}T00:00:00.000Z`) };
const MOMENT: Rule = { text: isMoment };
const COUNT = text(/^[0-9]{1,15}$/);
const DIRECTION = text(/^(CRDT|DBIT)$/);
const AMOUNT: Rule = {
  text: (value) => /^\d+(\.\d{1,5})?$/.test(value) && value.replace('.', '').length <= 18,
  attributes: /^ Ccy="[A-Z]{3,3}"$/,
};
const DAY = sequence(one('Dt', DATE));

const BALANCE = sequence(
  one('Tp', sequence(one('CdOrPrtry', sequence(one('Cd', CODE4))))),
  one('Amt', AMOUNT),
  one('CdtDbtInd', DIRECTION),
  one('Dt', DAY),
);
const REFERENCES = sequence(
  optional('AcctSvcrRef', MAX35),
  any('Prtry', sequence(one('Tp', MAX35), one('Ref', MAX35))),
);
const DETAILS = sequence(
  optional('Refs', REFERENCES),
  optional('Amt', AMOUNT),
  optional('CdtDbtInd', DIRECTION),
  optional('RltdDts', sequence(optional('TxDtTm', MOMENT))),
);
const ENTRY = sequence(
  optional('NtryRef', MAX35),
  one('Amt', AMOUNT),
  one('CdtDbtInd', DIRECTION),
  one('Sts', sequence(one('Cd', CODE4))),
  optional('BookgDt', DAY),
  optional('ValDt', DAY),
  optional('AcctSvcrRef', MAX35),
  one('BkTxCd', sequence(optional('Prtry', sequence(one('Cd', MAX35), optional('Issr', MAX35))))),
  any('NtryDtls', sequence(any('TxDtls', DETAILS))),
  optional('AddtlNtryInf', MAX500),
);
const STATEMENT = sequence(
  one('Id', MAX35),
  optional('ElctrncSeqNb', text(/^[0-9]{1,18}$/)),
  optional('CreDtTm', MOMENT),
  optional('FrToDt', sequence(one('FrDtTm', MOMENT), one('ToDtTm', MOMENT))),
  one(
    'Acct',
    sequence(
      one('Id', sequence(one('Othr', sequence(one('Id', MAX34))))),
      optional('Ccy', text(/^[A-Z]{3,3}$/)),
    ),
  ),
  any('Bal', BALANCE, 1),
  optional('TxsSummry', sequence(optional('TtlNtries', sequence(optional('NbOfNtries', COUNT))))),
  any('Ntry', ENTRY),
);
const MESSAGE = sequence(
  one('GrpHdr', sequence(one('MsgId', MAX35), one('CreDtTm', MOMENT))),
  any('Stmt', STATEMENT, 1),
);
const DOCUMENT: Rule = {
  ...sequence(one('BkToCstmrStmt', MESSAGE)),
  attributes: /^ xmlns="urn:iso:std:iso:20022:tech:xsd:camt\.053\.001\.08"$/,
};
const WHOLE = sequence(one('Document', DOCUMENT));

/**
 * Returns a nameless element that holds the document and any text outside of it.
 * @throws Error if the text is not well-formed XML of elements, texts and double-quoted attributes
 */
function parse(xml: string): Element {
  const body = /^<\?xml version="1\.0" encoding="UTF-8"\?>\n([^]*)$/.exec(xml)![1]!;
  const root: Element = { name: '', attributes: '', children: [], text: '' };
  const open = [root];
  const tokens = [...body.matchAll(/<\/(\w+)>|<(\w+)((?: \w+="[^"<&]*")*)>|([^<]+)/g)];
  expect(tokens.map(([token]) => token).join('')).toBe(body);
  for (const [, ended, name, attributes, content] of tokens) {
    const parent = open.at(-1)!;
    if (content !== undefined) parent.text += content;
    else if (ended !== undefined) {
      if (parent.name !== ended) throw new Error(`${ended} ends ${parent.name}`);
      open.pop();
    } else {
      const element: Element = { name: name!, attributes: attributes!, children: [], text: '' };
      parent.children.push(element);
      open.push(element);
    }
  }
  expect(open).toEqual([root]);
  return root;
}

/** What the schema does not allow, by its place. */
function faults(element: Element, rule: Rule, path = element.name): string[] {
  const { name, attributes, children } = element;
  const found = (rule.attributes ?? /^$/).test(attributes) ? [] : [`${path}: attributes ${attributes}`];
  if (rule.text) {
    const isText = children.length === 0 && rule.text(element.text) && !/[<>&]|[^ -~]/.test(element.text);
    return isText ? found : [...found, `${path}: text ${element.text}`];
  }
  if (/[^ \t\r\n]/.test(element.text)) found.push(`${path}: text in ${name}`);
  const rest = [...children];
  for (const [child, of, least, most] of rule.children!) {
    let count = 0;
    for (; rest[0]?.name === child && count < most; count++)
      found.push(...faults(rest.shift()!, of, `${path}/${child}`));
    if (count < least) found.push(`${path}: no ${child}`);
  }
  return [...found, ...rest.map((left) => `${path}: ${left.name} is out of place`)];
}

const LARGEST = 2n ** 63n - 1n;

const currencyOf = (code: string, decimals: 0 | 2 | 3): KnownCurrency =>
  new KnownCurrency({ number: 0, code, kind: 'money', decimals, name: code });

const statement: Statement = {
  accountId: String(LARGEST),
  day: '2031-02-03',
  fromId: '0',
  toId: String(LARGEST),
  openingMinor: 999_999_999_999_999_999n,
  closingMinor: -1n,
  movements: 2 * TRANSFER_KINDS.length,
  issuedAt: new Date('2031-02-04T00:00:00.001Z'),
  textsVersion: TEXTS_VERSION,
};

const lines: readonly Line[] = TRANSFER_KINDS.flatMap((kind, line) =>
  [999_999_999_999_999_999n, -1n].map((amountMinor, i) => ({
    transferId: String(LARGEST - BigInt(i)),
    kind,
    amountMinor,
    activityId: kind === 'deposit' || kind.startsWith('payout') ? null : String(LARGEST),
    payoutId: kind.startsWith('payout') ? String(LARGEST) : null,
    at: new Date(`2031-02-0${2 + ((i + line) % 3)}T23:59:59.999Z`),
  })),
);

async function xmlOf(currency: KnownCurrency, all: readonly Line[]): Promise<string> {
  async function* pages() {
    await Promise.resolve();
    yield all;
  }
  let xml = '';
  for await (const chunk of textOf('camt053', statement, currency, pages())) xml += chunk;
  return xml;
}

/** What does not fit the schema, by `xmllint` with the published one if `CAMT_XSD` names its file. */
function faultsOf(xml: string): string[] {
  const schema = process.env.CAMT_XSD;
  if (!schema) return faults(parse(xml), WHOLE);
  const { status, stderr } = spawnSync('xmllint', ['--noout', '--nonet', '--schema', schema, '-'], {
    input: xml,
    encoding: 'utf8',
  });
  return status === 0 ? [] : [stderr];
}

describe('a statement as camt.053.001.08', () => {
  it.each([
    ['JPY', 0],
    ['CNY', 2],
    ['KWD', 3],
  ] as const)('in %s, with %i decimals, keeps the rules of the published schema', async (code, decimals) => {
    const xml = await xmlOf(currencyOf(code, decimals), lines);
    expect(faultsOf(xml)).toEqual([]);
    const message = parse(xml).children[0]!.children[0]!;
    const [, { children }] = message.children as [Element, Element];
    expect(children.filter(({ name }) => name === 'Ntry')).toHaveLength(lines.length);
  });

  it('has in each entry what importers look for: a value date, a reference, and the amount with its time', async () => {
    const xml = await xmlOf(currencyOf('CNY', 2), lines);
    const entries = xml.match(/<Ntry>.*<\/Ntry>/g)!;
    expect(entries).toHaveLength(lines.length);
    for (const [i, { transferId, at }] of lines.entries()) {
      expect(entries[i]).toContain(
        `<ValDt><Dt>${at.toISOString().slice(0, 10)}</Dt></ValDt><AcctSvcrRef>${transferId}<`,
      );
      expect(entries[i]).toContain(`<TxDtTm>${at.toISOString()}</TxDtTm>`);
      expect(entries[i]!.match(/<Amt Ccy="CNY">.*?<\/CdtDbtInd>/g)).toHaveLength(2);
    }
    expect(xml).toContain('<ElctrncSeqNb>22313</ElctrncSeqNb>');
  });

  it('has two balances and no entry on a day without movements', async () => {
    expect(faultsOf(await xmlOf(currencyOf('CNY', 2), []))).toEqual([]);
  });

  it('is refused by these rules when something is missing, too long or out of place', async () => {
    const xml = await xmlOf(currencyOf('CNY', 2), lines);
    const edits: [RegExp, string][] = [
      [/<Sts><Cd>BOOK<\/Cd><\/Sts>/, ''],
      [/<BookgDt>.*?<\/BookgDt>(<ValDt>.*?<\/ValDt>)/, '$1<BookgDt><Dt>2031-02-03</Dt></BookgDt>'],
      [/<MsgId>.*?<\/MsgId>/, `<MsgId>${'1'.repeat(36)}</MsgId>`],
      [/<Othr><Id>.*?<\/Id>/, `<Othr><Id>${'1'.repeat(35)}</Id>`],
      [/Ccy="CNY"/, 'Ccy="COINS"'],
      [/>0\.01</, '>-0.01<'],
      [/>0\.01</, '>0.010001<'],
      [/>0\.01</, `>${'1'.repeat(17)}.01<`],
      [/CRDT/, 'CREDIT'],
      [/<Dt>2031-02-03</, '<Dt>2031-02-29<'],
      [/T00:00:00\.001Z/, 'T24:00:00.001Z'],
      [/<ValDt>.*?<\/ValDt>/, '<ValDt></ValDt>'],
      [/<\/ValDt>/, '<DtTm>2031-02-03T00:00:00.000Z</DtTm></ValDt>'],
      [/<Ntry>/, 'An entry: <Ntry>'],
      [/camt\.053\.001\.08/, 'camt.053.001.02'],
      [/(<\/?)Document/g, '$1Statement'],
      [/$/, 'The end.'],
    ];
    for (const [what, by] of edits) expect([by, faultsOf(xml.replace(what, by))]).not.toEqual([by, []]);
  });

  it('is not read by these rules when it is not well-formed', async () => {
    const xml = await xmlOf(currencyOf('CNY', 2), lines);
    const edits: [RegExp, string][] = [
      [/<Ntry>/, '<<Ntry>'],
      [/<\/Ntry>/, '</Ntry Ccy="CNY">'],
      [/<\/Sts>/, ''],
      [/<\/Document>/, ''],
      [/$/, '<'],
    ];
    for (const [what, by] of edits) expect(() => parse(xml.replace(what, by))).toThrow();
  });
});
