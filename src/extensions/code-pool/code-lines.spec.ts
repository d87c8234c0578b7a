import fc from 'fast-check';
import { type CodeFormat, readCodes } from './code-lines';

async function read(chunks: readonly Uint8Array[], format: CodeFormat, atOnce = 2) {
  async function* arriving() {
    for (const chunk of chunks) yield await Promise.resolve(chunk);
  }
  const batches: { no: number; code: string }[][] = [];
  for await (const batch of readCodes(arriving(), format, atOnce)) batches.push(batch);
  return batches;
}

const readText = (text: string, format: CodeFormat) => read([Buffer.from(text)], format);

const codesIn = async (text: string, format: CodeFormat) =>
  (await readText(text, format)).flat().map((line) => line.code);

const code = fc
  .string({
    unit: fc.constantFrom('a', '1', '-', ',', '"', "'", ';', ' ', '福', '🧧'),
    minLength: 1,
    maxLength: 12,
  })
  .map((text) => text.trim())
  .filter((text) => text !== '' && text.toLowerCase() !== 'code');

const WRITTEN: Record<CodeFormat, (code: string) => string> = {
  csv: (text) => (/[",;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text),
  ndjson: (text) => JSON.stringify({ code: text }),
};

type Refused = [what: string, text: string, format: CodeFormat, sentence: string];

const HEADING =
  'Line 1: it looks like a heading: call it `code`, or leave it out; if it is a code, put a line `code` before it.';
const FORMULA =
  'Line 2: it is a spreadsheet formula; send only the text of the code, or NDJSON if it is a code.';
const UNSEEN =
  'Line 1: it has invisible characters, or spaces other than the usual one; write the code without them.';
const MORE_THAN_A_CODE =
  'Line 1: it has more than a `code`, and the rest would be lost; put everything that winners need in the code.';

describe('the lines of a code file', () => {
  it.each(['csv', 'ndjson'] as const)(
    'are read as they were written in %s, wherever the network cuts them, with their numbers',
    async (format) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(code, { minLength: 1 }),
          fc.constantFrom('\n', '\r\n', '\n\n'),
          fc.integer({ min: 1, max: 9 }),
          async (codes, end, size) => {
            const bytes = Buffer.from(codes.map(WRITTEN[format]).join(end));
            const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
              bytes.subarray(i * size, (i + 1) * size),
            );
            const step = end === '\n\n' ? 2 : 1;
            const lines = (await read(chunks, format)).flat();
            expect(lines).toEqual(codes.map((text, i) => ({ no: i * step + 1, code: text })));
          },
        ),
      );
    },
  );

  it.each(['LUCKY-GIFT', 'CODE-77', 'PIN 1234', '券1', 'A券', '兑换码A', 'X#N/A', '#N/A-7'])(
    'may begin with %s, which only contains a word of headings or of spreadsheets',
    async (text) => {
      expect((await readText(text, 'csv')).flat()).toEqual([{ no: 1, code: text }]);
    },
  );

  it('come a few at a time', async () => {
    const sizesOf = async (text: string) => (await readText(text, 'csv')).map(({ length }) => length);
    expect(await sizesOf('a\nb\nc\nd\ne')).toEqual([2, 2, 1]);
    expect(await sizesOf('a\nb\nc\nd\n')).toEqual([2, 2]);
    expect(await sizesOf('\n')).toEqual([]);
  });

  it('may have 256 characters, and spaces around them that nobody sees', async () => {
    const longest = '🧧'.repeat(256);
    expect(await codesIn(`"  ${longest} "`, 'csv')).toEqual([longest]);
    expect(await codesIn(JSON.stringify({ code: ` ${longest} ` }), 'ndjson')).toEqual([longest]);
  });

  it('may begin with a heading in CSV, and only there', async () => {
    expect((await readText('\ufeffCODE\na\ncode', 'csv')).flat()).toEqual([
      { no: 2, code: 'a' },
      { no: 3, code: 'code' },
    ]);
    expect((await readText('"Code"\n"a"', 'csv')).flat()).toEqual([{ no: 2, code: 'a' }]);
    expect((await readText('\r\n\r\ncode\r\na', 'csv')).flat()).toEqual([{ no: 4, code: 'a' }]);
    await expect(readText('code', 'ndjson')).rejects.toMatchObject({ code: 'code_pool.line_invalid' });
  });

  it.each<Refused>([
    ['a line that never ends', 'x'.repeat(4_001), 'csv', 'Line 1: it is longer than 4000 characters.'],
    [
      'a line of 4000 characters',
      'x'.repeat(4_000),
      'csv',
      'Line 1: a code has 1 to 256 characters, and it has 4000.',
    ],
    [
      'a code without characters',
      '{"code":" "}',
      'ndjson',
      'Line 1: a code has 1 to 256 characters, and it has 0.',
    ],
    ['two cells', 'a,b', 'csv', 'Line 1: it has 2 cells; put a code that contains commas in quotes.'],
    [
      'another delimiter before a quote',
      'AAA;B"',
      'csv',
      'Line 1: it has a `;`; send one column, or put the code in quotes.',
    ],
    ...['{}', '{"code":1}'].map((line): Refused => [
      line,
      line,
      'ndjson',
      'Line 1: its `code` is missing or not text.',
    ]),
    ['text in NDJSON', '"AAA-1"', 'ndjson', 'Line 1: it is not a JSON object, such as {"code":"…"}.'],
    ['text after a quote', 'a\n"b"c', 'csv', 'Line 2: its quotes do not end where its cell ends.'],
    [
      'a code of 257 characters',
      '🧧'.repeat(257),
      'csv',
      'Line 1: a code has 1 to 256 characters, and it has 257.',
    ],
    [
      'half a character',
      '{"code":"a\\ud83e"}',
      'ndjson',
      'Line 1: it has control characters or halves of characters.',
    ],
    ['a heading of another name', 'Voucher Code\nAAA-1', 'csv', HEADING],
    ['a heading in Chinese', '\ufeff兑换码\r\nAAA-1', 'csv', HEADING],
    ...[
      'Redemption code',
      'promotion_codes',
      'Product Key',
      'Gift card number',
      'Codes:',
      ...[
        'Barcodes',
        'Key',
        'keys',
        'PIN',
        'Pins',
        'No',
        'Serial no.',
        'Number',
        'Serial',
        'Serials',
        'Voucher',
      ],
      ...['Coupon', 'Promo', 'Discount', 'Activation', 'Licence', 'Licenses', 'Gift', 'Gift card'],
      '礼品卡号',
      '兑换码列表',
      '兑换码：',
    ].map((heading): Refused => [`the heading ${heading}`, `${heading}\na`, 'csv', HEADING]),
    ...['=A1', '#N/A', '#NAME?'].map((text): Refused => [`the cell ${text}`, `a\n${text}`, 'csv', FORMULA]),
    [
      'another delimiter',
      'code;valid until\nAAA-1;31.12.2026',
      'csv',
      'Line 1: it has a `;`; send one column, or put the code in quotes.',
    ],
    ['tabs', 'AAA-1\tx', 'csv', 'Line 1: it has a tab; send one column.'],
    [
      'JSON in CSV',
      '{"code":"AAA-1"}',
      'csv',
      'Line 1: it looks like JSON; send the file as `application/x-ndjson`, or put the code in quotes.',
    ],
    ['a formula', 'a\n="00123"', 'csv', FORMULA],
    ['a formula in quotes', 'a\n"=""00123"""', 'csv', FORMULA],
    ['a formula after a space', 'a\n" =A1"', 'csv', FORMULA],
    ...['6.00649E+15', '6,00649e+15', '6E+15', '6.0E-05'].map((text): Refused => [
      `the shortened number ${text}`,
      /,/.test(text) ? `"${text}"` : text,
      'csv',
      'Line 1: a spreadsheet has shortened it; format the column as text before the codes are put in, or send NDJSON if it is a code.',
    ]),
    ['a field that would be lost', '{"code":"a","pin":"1234"}', 'ndjson', MORE_THAN_A_CODE],
    ['a zero-width space', 'AAA-1\u200b', 'csv', UNSEEN],
    ['only a zero-width space', '{"code":"\u200b"}', 'ndjson', UNSEEN],
    ['a direction mark', '{"code":"\u200eAAA-1"}', 'ndjson', UNSEEN],
    ['a soft hyphen', 'AA\u00adA', 'csv', UNSEEN],
    ...['\u3164', '\u034f', '\u2028', '\u00a0', '\u3000', '\u2009'].map((unseen): Refused => [
      `the character ${unseen.charCodeAt(0)}`,
      JSON.stringify({ code: `A${unseen}B` }),
      'ndjson',
      UNSEEN,
    ]),
    [
      'a line with two codes',
      '{"code":"A","code":"B"}',
      'ndjson',
      'Line 1: it has a `code` twice, and one of them would be lost; write one to a line.',
    ],
    ['null', 'null', 'ndjson', 'Line 1: it is not a JSON object, such as {"code":"…"}.'],
  ])('are refused at %s', async (_, text, format, sentence) => {
    const detail = `${sentence} Nothing of the file was uploaded.`;
    await expect(readText(text, format)).rejects.toMatchObject({ detail });
  });

  it('are the same however their letters are composed, and may look like anything in quotes or NDJSON', async () => {
    const [[one], [other]] = [
      (await readText('caf\u00e9', 'csv')).flat(),
      (await readText('cafe\u0301', 'csv')).flat(),
    ];
    expect(one).toEqual(other);
    expect(await codesIn('"a;b"\n"{"', 'csv')).toEqual(['a;b', '{']);
    expect(await codesIn('code\nGIFT\nLUCKY-GIFT\nVIP6E+15\n3E-4711\nA=B', 'csv')).toEqual([
      ...['GIFT', 'LUCKY-GIFT', 'VIP6E+15', '3E-4711', 'A=B'],
    ]);
    const texts = ['voucher', '="1"', '6E+15', 'a|b'];
    const lines = texts.map((text) => JSON.stringify({ code: text })).join('\n');
    expect(await codesIn(lines, 'ndjson')).toEqual(texts);
  });

  it('are refused after the last one that is UTF-8, without quoting what follows', async () => {
    const bytes = Uint8Array.from([0x61, 0x0a, 0x62, 0xff]);
    await expect(read([bytes.subarray(0, 2), bytes.subarray(2)], 'csv')).rejects.toMatchObject({
      detail: 'After line 1 the file is not UTF-8. Nothing of it was uploaded.',
      cause: expect.anything(),
    });
    const half = Uint8Array.from([0x61, 0xe7]);
    await expect(read([half], 'csv')).rejects.toMatchObject({ code: 'code_pool.line_invalid' });
  });
});
