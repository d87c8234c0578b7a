import { type ForeignLine, readStatement, type StatementFormat, type StatementLine } from './statement-lines';

const HEAD = 'payoutId,userId,amount,state,at';
const ANN = '41a1,ann,7.10,paid,2026-11-26T08:00:00Z';
const BOB = '42a1,bob,3.20,paid,2026-11-26T08:00:01Z';
const CSV = [HEAD, ANN, BOB, ''].join('\n');
const JSON_LINE = {
  payoutId: '41a1',
  userId: 'ann',
  amount: '7.10',
  state: 'paid',
  at: '2026-11-26T08:00:00Z',
};

const PAID = [
  { payoutId: '41a1', userId: 'ann', amount: '7.10', state: 'paid', at: '2026-11-26T08:00:00.000Z' },
  { payoutId: '42a1', userId: 'bob', amount: '3.20', state: 'paid', at: '2026-11-26T08:00:01.000Z' },
];

interface Read {
  readonly lines: StatementLine[];
  readonly foreign: ForeignLine[];
  readonly refusal?: string;
}

/** Reads a file that comes in parts of some bytes. */
async function read(
  file: string | Buffer,
  { format = 'csv', part = 7 }: { format?: StatementFormat; part?: number } = {},
): Promise<Read> {
  async function* parts() {
    const bytes = Buffer.from(file);
    for (let at = 0; at < bytes.length; at += part)
      yield await Promise.resolve(bytes.subarray(at, at + part));
  }
  const lines: StatementLine[] = [];
  const foreign: ForeignLine[] = [];
  try {
    for await (const batch of readStatement(parts(), format, 5_000)) {
      lines.push(...batch.lines);
      foreign.push(...batch.foreign);
    }
    return { lines, foreign };
  } catch (error) {
    return { lines, foreign, refusal: (error as Error).message };
  }
}

const utf16 = (text: string, isBig: boolean): Buffer => {
  const bytes = Buffer.from(text, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};

const json = (...lines: object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

describe('the file of a channel is read without a doubt', () => {
  it.each<[string, string | Buffer]>([
    ['commas', CSV],
    ['no line end at its end', CSV.trimEnd()],
    ['semicolons', CSV.replaceAll(',', ';')],
    ['tabs', CSV.replaceAll(',', '\t')],
    ['bars', CSV.replaceAll(',', '|')],
    ['a line that names the delimiter', `sep=;\n${CSV.replaceAll(',', ';')}`],
    ['a line that names no delimiter', `sep=\n${CSV}`],
    ['a line of spaces before the columns', `  \n${CSV}`],
    ['a byte order mark', `\ufeff${CSV}`],
    ['UTF-16LE with a mark', utf16(`\ufeff${CSV}`, false)],
    ['UTF-16BE with a mark', utf16(`\ufeff${CSV}`, true)],
    ['UTF-16LE without a mark', utf16(CSV, false)],
    ['UTF-16BE without a mark', utf16(CSV, true)],
    ['line ends of Windows', CSV.replaceAll('\n', '\r\n')],
    ['line ends of old Macs', CSV.replaceAll('\n', '\r')],
    ['line ends that were written twice', CSV.replaceAll('\n', '\r\r\n')],
    ['spaces in the line of columns', CSV.replace(HEAD, HEAD.replaceAll(',', ', '))],
    ['spaces around all cells', CSV.replaceAll(',', ' , ')],
    ['columns as a database writes them', CSV.replace(HEAD, 'payout_id,user_id,AMOUNT,State,at')],
    ['cells in quotes', CSV.replace(/[^,\n]+/g, '"$&"')],
    ['spaces before quotes', CSV.replace(/[^,\n]+/g, ' "$&" ')],
    ['back-ticks before ids', CSV.replace(/^4/gm, '`4')],
    ['apostrophes before ids', CSV.replace(/^4/gm, "'4")],
    ['ids as formulas of text', CSV.replace(/^(4.a1)/gm, '="$1"')],
    ['ids and states in capitals', CSV.replaceAll('a1,', 'A1,').replaceAll('paid', 'PAID')],
    ['moments as a database writes them', CSV.replaceAll('T', ' ').replaceAll('Z\n', '+00\n')],
    ['offsets without a colon', CSV.replaceAll('T08', 'T16').replaceAll('Z\n', '+0800\n')],
    ['the mark of an end of file on a line of its own', `${CSV}\u001a`],
    ['the mark of an end of file after its last line', `${CSV.trimEnd()}\u001a`],
    ['empty lines', `${CSV}\n\n\n`],
    ['lines of empty cells', `${CSV},,,,\n`],
    ['lines of cells of spaces', `${CSV} , , , , \n`],
    ['an empty cell too many', CSV.replaceAll('Z\n', 'Z,\n')],
    ['the line of columns again, as in files that were joined', [HEAD, ANN, `\ufeff${HEAD}`, BOB].join('\n')],
    [
      'another column, with line ends in its cells',
      [`${HEAD},memo`, `${ANN},"two\nlines, "" a quote"`, `${BOB},`].join('\n'),
    ],
  ])('with %s', async (_, file) => {
    for (const part of [1, 7, 1_000]) {
      const { refusal, lines, foreign } = await read(file, { part });
      expect([refusal, foreign]).toEqual([undefined, []]);
      expect(lines.map(({ no: _no, ...line }) => line)).toEqual(PAID);
    }
  });

  it('and its lines have their right numbers, even after a cell of several lines', async () => {
    const file = [`${HEAD},memo`, `${ANN},"two\nlines"`, '', `${BOB},x`].join('\n');
    expect((await read(file)).lines.map(({ no }) => no)).toEqual([2, 5]);
  });

  it('and its lines have their right numbers, wherever a Windows line end is cut', async () => {
    for (const part of [1, 2, 3, 7])
      expect((await read(CSV.replaceAll('\n', '\r\n'), { part })).lines.map(({ no }) => no)).toEqual([2, 3]);
  });

  it.each(['7', '9223372036854775807', '7a12', '41A123456789'])('and has the id %s', async (id) => {
    const { lines } = await read(`${HEAD}\n${ANN.replace('41a1', id)}`);
    expect(lines).toMatchObject([{ payoutId: id.toLowerCase() }]);
  });

  it.each(['7', '0', '12', '1234.5', '0.10', '9999999999999999.00'])(
    'and has the amount %s',
    async (amount) => {
      const { lines } = await read(`${HEAD}\n${ANN.replace('7.10', amount)}`);
      expect(lines).toMatchObject([{ amount }]);
    },
  );

  it('and may name users like its columns', async () => {
    const { lines } = await read(`${HEAD}\n${ANN.replace('ann', 'userId')}`);
    expect(lines).toMatchObject([{ userId: 'userId', amount: '7.10' }]);
  });

  it.each([
    ['on one line', (length: number) => `${ANN},${'x'.repeat(length - ANN.length - 1)}`],
    ['on several lines', (length: number) => `${ANN},"\n${'x'.repeat(length - ANN.length - 3)}\n"`],
  ])('and a payment of it has at most 2,000 characters, %s', async (_, lineOf) => {
    expect(await read(`${HEAD},memo\n${lineOf(2_000)}`)).toMatchObject({ lines: [{ payoutId: '41a1' }] });
    const { lines, refusal } = await read(`${HEAD},memo\n${lineOf(2_001)}\n${BOB},`, { part: 9_000 });
    expect([lines, refusal]).toEqual([[], expect.stringMatching(/^Line 2/)]);
  });

  it('and as NDJSON has empty lines, and lines of at most 2,000 characters', async () => {
    const long = (length: number) => {
      const text = JSON.stringify({ ...JSON_LINE, memo: '' });
      return text.replace('"memo":""', `"memo":"${'x'.repeat(length - text.length)}"`);
    };
    const { lines, refusal } = await read(`\n${long(2_000)}\n  \n${long(150)}\n`, { format: 'ndjson' });
    expect([lines.length, refusal]).toEqual([2, undefined]);
    expect((await read('\n', { format: 'ndjson' })).refusal).toBeUndefined();
    expect((await read(long(2_001), { format: 'ndjson' })).refusal).toBe(
      'Line 1: it is longer than 2000 characters. Nothing of the file has been dealt with.',
    );
  });

  it.each([
    'TOTAL,ALL,10.30,paid,2026-11-26T09:00:00Z',
    'Total,,10.30,,',
    'Grand total: 2,,10.30 CNY,,',
    '合计,,10.30,,',
    'TOTAL,2,10.30',
    ',,10.30,,',
    'ORD-17,ann,7.10,paid,2026-11-26T08:00:00Z',
    '4e2a1,ann,7.10,paid,2026-11-26T08:00:00Z',
    '042,ann,7.10,paid,2026-11-26T08:00:00Z',
    '12.5E3,ann,7.10,paid,2026-11-26T08:00:00Z',
    '=="41a1",ann,7.10,paid,2026-11-26T08:00:00Z',
    '="41a1"x,ann,7.10,paid,2026-11-26T08:00:00Z',
  ])('and a line whose id has a form that is never given is about no payout: %s', async (line) => {
    const { lines, foreign, refusal } = await read(`${CSV}${line}\n`);
    expect([lines.length, foreign.length, refusal]).toEqual([2, 1, undefined]);
    const [payoutId, userId = '', amount = '', state = '', at = ''] = line.split(',');
    expect(foreign).toEqual([{ no: 4, cells: { payoutId, userId, amount, state, at } }]);
  });

  it('and text of a foreign line is short, and holds nothing that Postgres cannot store', async () => {
    const { foreign } = await read(
      json({ payoutId: `T\u0000\ud800${'x'.repeat(500)}`, userId: null, amount: 10.3 }),
      { format: 'ndjson' },
    );
    expect(foreign[0]!.cells).toEqual({
      payoutId: `T\ufffd\ufffd${'x'.repeat(97)}`,
      userId: '',
      amount: '10.3',
      state: '',
      at: '',
    });
  });

  it('and has at most 1,000 more empty lines than others', async () => {
    const enough = `${CSV}${'\n'.repeat(1_002)}`;
    expect((await read(enough, { part: 1_000 })).refusal).toBeUndefined();
    const { lines, refusal } = await read(`${enough}\n\n`, { part: 1_000 });
    expect(lines).toHaveLength(2);
    expect(refusal).toBe(
      'Line 1006: it has no payment, as more than 1000 lines before it. The 2 before it have been dealt with.',
    );
  });
});

const after = (line: string): string => [HEAD, ANN, line].join('\n');
const allEmpty = { payoutId: '', userId: '', amount: '', state: '', at: '' };
const asText = 'and has to be text in quotes:';

describe('the file of a channel is refused, naming what was found', () => {
  it.each<[string, string | Buffer, string]>([
    [
      'lost line ends',
      CSV.replaceAll('\n', ''),
      'Line 1: another line follows on it, so the line ends are gone; send the file with `--data-binary`',
    ],
    [
      'a long line of columns',
      `${HEAD},${'x'.repeat(2_000)}\n`,
      'Line 1: it is longer than 2000 characters. Nothing',
    ],
    ['another line before the columns', `x sep=;\n${CSV}`, 'Line 1: it has to name the columns'],
    ['a line of two delimiters before the columns', `sep=;;\n${CSV}`, 'Line 1: it has to name the columns'],
    [
      'lost line ends of a long file',
      `${HEAD}${ANN.repeat(200)}`,
      'Line 1: another line follows on it, so the line ends are gone',
    ],
    [
      'lost line ends after another column',
      `${HEAD},memo${ANN},x${BOB},y`,
      'Line 1: another line follows on it, so the line ends are gone',
    ],
    [
      'no columns',
      ANN,
      'Line 1: it has to name the columns payoutId,userId,amount,state,at, each once, and is',
    ],
    [
      'columns that are not UTF-8',
      Buffer.concat([Buffer.from([0xb8, 0xb6, 0xbf, 0xee]), Buffer.from(`,${HEAD}`.slice(0, 20))]),
      'Line 1: it is not UTF-8: save the file as CSV in UTF-8.',
    ],
    ['missing columns', 'payoutId,userId,state\n', 'each once, but lacks amount and at.'],
    ['a column that is there twice', `${HEAD},Amount\n`, 'each once, but names amount twice.'],
    ['two columns that are there twice', `${HEAD},Amount,at\n`, 'each once, but names amount and at twice.'],
    ['JSON after a space', ` ${json(JSON_LINE)}`, 'Line 1: it is JSON: send the file as'],
    ['JSON', json(JSON_LINE), 'Line 1: it is JSON: send the file as application/x-ndjson.'],
    [
      'a workbook',
      Buffer.from('PK\u0003\u0004xl'),
      'The file is a workbook or another ZIP archive, and has to be text',
    ],
    ['an old workbook', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), 'The file is an old workbook, and has'],
    ['a PDF', '%PDF-1.7', 'The file is a PDF, and has to be text'],
    [
      'a user id of other characters',
      after('42a1,böb,3.20,paid,2026-11-26T08:00:01Z'),
      'Line 3, column 2 (`userId`): it is `böb`, and has to be a user id of 1 to 128 visible ASCII characters.',
    ],
    [
      'an amount and a state without an id',
      after(',,3.20,paid,'),
      'Line 3, column 1 (`payoutId`): it is empty.',
    ],
    ['an id that was rounded to one digit', after('2E+12,bob,3.20,paid,x'), 'it is `2E+12`, and has to be'],
    [
      'an id that was rounded without a sign',
      after('1.7E12,bob,3.20,paid,x'),
      'it is `1.7E12`, and has to be',
    ],
    [
      'an empty user',
      after('42a1,,3.20,paid,2026-11-26T08:00:01Z'),
      'Line 3, column 2 (`userId`): it is empty.',
    ],
    ['no id', after(',bob,3.20,paid,2026-11-26T08:00:01Z'), 'Line 3, column 1 (`payoutId`): it is empty.'],
    [
      'an id that a spreadsheet has rounded',
      after('1.79673E+12,bob,3.20,paid,2026-11-26T08:00:01Z'),
      'Line 3, column 1 (`payoutId`): it is `1.79673E+12`, and has to be the id of a payout',
    ],
    [
      'a decimal comma',
      after('42a1;bob;3,20;paid;2026-11-26T08:00:01Z').replaceAll(',', ';').replace('3;20', '3,20'),
      'Line 3, column 3 (`amount`): it is `3,20`, and has to be an amount such as 7.10.',
    ],
    [
      'an unknown state',
      after('42a1,bob,3.20,done,x'),
      'Line 3, column 4 (`state`): it is `done`, and has to be one of processing, needs-user, paid, refused, returned.',
    ],
    [
      'a moment without an offset',
      after('42a1,bob,3.20,paid,2026-11-26 08:00'),
      'Line 3, column 5 (`at`): it is `2026-11-26 08:00`, and has to be an instant such as 2031-02-01T20:00:00Z.',
    ],
    ['a missing cell', after('42a1,bob,3.20,paid'), 'Line 3: it has 4 cells, and the line of columns has 5.'],
    ['an open quote', after('"42a1,bob,3.20,paid,x'), 'Line 3, character 1: its quote is never closed.'],
    [
      'an open quote of a long file',
      after(`42a1,"bob${BOB.repeat(40)}\n${'x'.repeat(1_000)}`),
      'Line 3, character 6: its quote is never closed.',
    ],
    [
      'text after a quote',
      after('42a1,"bob"x,3.20,paid,x'),
      'Line 3, character 6: something follows a closing quote.',
    ],
    ['an endless line', after('x'.repeat(100_000)), 'Line 3: it is longer than 2000 characters.'],
    ['nothing', '', 'The file is empty.'],
    ['only empty lines', '\n\n', 'The file is empty.'],
  ])('for %s', async (_, file, words) => {
    expect((await read(file)).refusal).toContain(words);
  });

  it.each<[string, string, string]>([
    ['a number as an id', json({ ...JSON_LINE, payoutId: 42 }), `\`payoutId\`: it is a number, ${asText}`],
    ['a number as an amount', json({ ...JSON_LINE, amount: 7.1 }), `\`amount\`: it is a number, ${asText}`],
    ['a list as a user', json({ ...JSON_LINE, userId: ['ann'] }), `\`userId\`: it is a list, ${asText}`],
    ['a number as a state', json({ ...JSON_LINE, state: 1 }), `\`state\`: it is a number, ${asText}`],
    ['a number as a moment', json({ ...JSON_LINE, at: 1 }), `\`at\`: it is a number, ${asText}`],
    ['nothing in any field', json(allEmpty), '`payoutId`: it is empty.'],
    [
      'a field twice',
      `{"amount":"9.00",${JSON.stringify(JSON_LINE).slice(1)}\n`,
      '`amount`: it is there twice.',
    ],
    ['null', 'null', 'Line 1: it has to be a JSON object.'],
    ['nothing', '', 'The file is empty.'],
    ['2,000 characters of another kind', 'x'.repeat(2_000), 'Line 1, character 1: it is not JSON'],
    [
      'a list that begins with its first line',
      `[${JSON.stringify(JSON_LINE)},\n`,
      'Line 1: a list begins: write',
    ],
    [
      'a space instead of a line end',
      json(JSON_LINE, JSON_LINE).replace('\n', ' '),
      'Line 1: another line follows',
    ],
    ['no id', json({ ...JSON_LINE, payoutId: undefined }), '`payoutId`: it is missing.'],
    ['no user', json({ ...JSON_LINE, userId: null }), '`userId`: it is missing.'],
    ['a list of all lines', JSON.stringify([JSON_LINE]), 'Line 1: it has to be a JSON object.'],
    [
      'a list over several lines',
      '[\n',
      'Line 1: a list begins: write one object per line, without brackets.',
    ],
    [
      'an object over several lines',
      JSON.stringify(JSON_LINE, null, 1),
      'Line 1, character 2: it is not JSON',
    ],
    ['lost line ends', json(JSON_LINE, JSON_LINE).replaceAll('\n', ''), 'so the line ends are gone'],
    ['CSV', CSV, 'Line 1, character 1: it is not JSON'],
  ])('of NDJSON for %s', async (_, file, words) => {
    expect((await read(file, { format: 'ndjson' })).refusal).toContain(words);
  });

  it.each([
    [0, 'Nothing of the file has been dealt with.'],
    [1, 'The one before it has been dealt with.'],
    [3, 'The 3 before it have been dealt with.'],
  ])('after the %d lines before it, and says so', async (count, words) => {
    const { lines, refusal } = await read([HEAD, ...Array<string>(count).fill(ANN), '42a1,,,,'].join('\n'));
    expect(lines).toHaveLength(count);
    expect(refusal).toMatch(new RegExp(`^Line ${count + 2}, .* ${words.replaceAll('.', '\\.')}$`));
  });
});

describe('the file of a channel is dealt with while it arrives', () => {
  const TOTAL = 'TOTAL,,10.30,,';

  /** How many lines of payments and of others each batch of two has, and what ended the file. */
  async function batchesOf(parts: AsyncIterable<Uint8Array>, size = 2) {
    const batches: (readonly [number, number])[] = [];
    const end = await (async () => {
      for await (const { lines, foreign } of readStatement(parts, 'csv', size))
        batches.push([lines.length, foreign.length]);
      return 'its end';
    })().catch((error: unknown) => (error as Error).message);
    return { batches, end };
  }

  async function* bytesOf(...texts: string[]) {
    for (const text of texts) yield await Promise.resolve(Buffer.from(text));
  }

  it('in batches of payments and of other lines, the last of which may be empty', async () => {
    const file = [HEAD, ANN, TOTAL, TOTAL, BOB, ANN, BOB, ''].join('\n');
    expect(await batchesOf(bytesOf(file))).toEqual({
      batches: [
        [1, 1],
        [1, 1],
        [2, 0],
        [0, 0],
      ],
      end: 'its end',
    });
  });

  it('and a malformed line after a whole batch ends it without another batch', async () => {
    const { batches, end } = await batchesOf(bytesOf([HEAD, ANN, BOB, 'x'.repeat(3_000), ''].join('\n')));
    expect([batches, end]).toEqual([
      [[2, 0]],
      expect.stringContaining('The 2 before it have been dealt with.'),
    ]);
  });

  it('and payments that were dealt with allow as many empty lines', async () => {
    const file = `${CSV}${'\n'.repeat(1_002)}`;
    expect((await batchesOf(bytesOf(file), 1)).end).toBe('its end');
    expect((await batchesOf(bytesOf(`${file}\n`), 1)).end).toContain('as more than 1000 lines before it');
  });

  it('and a connection that is lost is not called a malformed line', async () => {
    async function* cut() {
      yield* bytesOf(`${CSV}\n`);
      throw new Error('The connection was lost.');
    }
    expect((await batchesOf(cut())).end).toBe('The connection was lost.');
  });

  it('and is not read beyond a line that is too long', async () => {
    let sent = 0;
    async function* endless() {
      yield* bytesOf(`${CSV}`);
      for (; sent < 100; sent++) yield await Promise.resolve(Buffer.from('x'.repeat(1_000)));
    }
    expect((await batchesOf(endless())).end).toContain('Line 4: it is longer than 2000 characters.');
    expect(sent).toBeLessThan(5);
  });
});
