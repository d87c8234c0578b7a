import { csvCells } from '../../../libs/csv';
import { repeatedKey } from '../../../libs/repeated-key';
import { codeLineInvalid } from './code-pool.error';

export type CodeFormat = 'csv' | 'ndjson';

/** A code, and the line of the file that it is in. */
export interface CodeLine {
  readonly no: number;
  readonly code: string;
}

const CODE_LENGTH_MAX = 256;

/** Room for a code in quotes or escapes. */
const LINE_LENGTH_MAX = 4_000;

/** Two codes that differ only in these look the same. The only space that is accepted is the usual one. */
const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u;

const HEADING = 'code';

/** Headings of files that a sponsor may have: words that end like this. */
const OTHER_HEADINGS =
  /^([a-z]+[ _])*([a-z]*codes?|keys?|pins?|no\.?|numbers?|serials?|vouchers?|coupons?|promos?|discounts?|activations?|licen[cs]es?|gifts?|cards?)[:：]?$|^\p{Script=Han}*(码|券|券号|卡号|卡密|序列号)(列表)?[:：]?$/iu;

/** What separates columns in files that spreadsheets write in many countries. */
const OTHER_DELIMITERS = /[;\t|]/;

/** A spreadsheet shortens a long number like this, and its digits are lost. */
const SHORTENED = /^\d([.,]\d+)?E[+-]\d{2,3}$/i;

/** It writes these where a formula, or a code that looked like one, could not be computed. */
const NOT_COMPUTED = /^#(N\/A|NAME\?|REF!|VALUE!|NUM!|DIV\/0!)$/i;

/**
 * Reads the codes of a file while it arrives, many at a time. No message about a line quotes it.
 * @throws codeLineInvalid naming the line
 */
export async function* readCodes(
  bytes: AsyncIterable<Uint8Array>,
  format: CodeFormat,
  atOnce: number,
): AsyncGenerator<CodeLine[]> {
  const codeIn = format === 'csv' ? csvCode : jsonCode;
  let batch: CodeLine[] = [];
  let no = 0;
  let isFirst = true;
  for await (const lines of linesOf(bytes))
    for (const line of lines) {
      no += 1;
      const text = line.trim();
      if (text === '') continue;
      const code = codeIn(text, no);
      const isHeading = isFirst && format === 'csv' && isHeadingOf(code, no);
      isFirst = false;
      if (isHeading) continue;
      batch.push({ no, code: checked(code, no) });
      if (batch.length < atOnce) continue;
      yield batch;
      batch = [];
    }
  if (batch.length > 0) yield batch;
}

/** A heading taken for a code would be someone's prize, and no code can be removed again. @throws codeLineInvalid */
function isHeadingOf(cell: string, no: number): boolean {
  if (cell.toLowerCase() === HEADING) return true;
  if (OTHER_HEADINGS.test(cell))
    throw invalid(
      no,
      `it looks like a heading: call it \`${HEADING}\`, or leave it out; if it is a code, put a line \`${HEADING}\` before it`,
    );
  return false;
}

function csvCode(line: string, no: number): string {
  const cells = csvCells(line, ',');
  if ('isOpen' in cells) throw invalid(no, 'its quotes do not end where its cell ends');
  if (cells.length !== 1)
    throw invalid(no, `it has ${cells.length} cells; put a code that contains commas in quotes`);
  if (!line.startsWith('"')) requireNoColumns(line, no);
  const cell = cells[0]!.trim();
  if (cell.startsWith('=') || NOT_COMPUTED.test(cell))
    throw invalid(
      no,
      'it is a spreadsheet formula; send only the text of the code, or NDJSON if it is a code',
    );
  if (SHORTENED.test(cell))
    throw invalid(
      no,
      'a spreadsheet has shortened it; format the column as text before the codes are put in, or send NDJSON if it is a code',
    );
  return cell;
}

function requireNoColumns(line: string, no: number): void {
  if (line.startsWith('{'))
    throw invalid(
      no,
      'it looks like JSON; send the file as `application/x-ndjson`, or put the code in quotes',
    );
  const [delimiter] = OTHER_DELIMITERS.exec(line) ?? [];
  if (delimiter === '\t') throw invalid(no, 'it has a tab; send one column');
  if (delimiter !== undefined)
    throw invalid(no, `it has a \`${delimiter}\`; send one column, or put the code in quotes`);
}

function jsonCode(line: string, no: number): string {
  const { code, ...others } = objectIn(line, no);
  if (typeof code !== 'string') throw invalid(no, 'its `code` is missing or not text');
  if (repeatedKey(line) !== undefined)
    throw invalid(no, 'it has a `code` twice, and one of them would be lost; write one to a line');
  if (Object.keys(others).length > 0)
    throw invalid(
      no,
      'it has more than a `code`, and the rest would be lost; put everything that winners need in the code',
    );
  return code;
}

function objectIn(line: string, no: number): { readonly code?: unknown } {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The message of the parser quotes the line.
  }
  throw invalid(no, 'it is not a JSON object, such as {"code":"…"}');
}

/** Nobody sees a space at the end of a code, so it is not part of it. */
function checked(cell: string, no: number): string {
  const code = cell.normalize('NFC').trim();
  const length = Array.from(code).length;
  if (length < 1 || length > CODE_LENGTH_MAX)
    throw invalid(no, `a code has 1 to ${CODE_LENGTH_MAX} characters, and it has ${length}`);
  if (/[\p{Cc}\p{Cs}]/u.test(code)) throw invalid(no, 'it has control characters or halves of characters');
  if (UNSEEN.test(code))
    throw invalid(
      no,
      'it has invisible characters, or spaces other than the usual one; write the code without them',
    );
  return code;
}

async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  let no = 0;
  for await (const chunk of bytes) {
    const lines = (rest + decoded(() => decoder.decode(chunk, { stream: true }), no)).split('\n');
    rest = lines.pop()!;
    no += lines.length;
    yield lines;
    if (rest.length > LINE_LENGTH_MAX)
      throw invalid(no + 1, `it is longer than ${LINE_LENGTH_MAX} characters`);
  }
  yield [rest + decoded(() => decoder.decode(), no)];
}

function decoded(decode: () => string, no: number): string {
  try {
    return decode();
  } catch (cause) {
    throw codeLineInvalid(`After line ${no} the file is not UTF-8. Nothing of it was uploaded.`, { cause });
  }
}

const invalid = (no: number, fault: string): Error =>
  codeLineInvalid(`Line ${no}: ${fault}. Nothing of the file was uploaded.`);
