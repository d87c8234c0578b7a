import { TextDecoder } from 'node:util';
import { beginningWith } from '../../../platform/http';
import { statementMalformed } from './statement.error';

export const LINE_LENGTH_MAX = 2_000;

const LINE_END = /\r\n|\n|\r/;

/** Some programs still end a text with the mark of CP/M. */
const END_OF_FILE = '\u001a';

/** First bytes of binary files, which people send by mistake. */
const NO_TEXT: Readonly<Record<string, string>> = {
  '504b0304': 'a workbook or another ZIP archive',
  d0cf11e0: 'an old workbook',
  '25504446': 'a PDF',
};

/**
 * Returns the lines of a file while it arrives, many at a time. It ends at a line that is longer than
 * LINE_LENGTH_MAX.
 * @throws statementMalformed
 */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  let rest = '';
  for await (const part of textOf(bytes)) {
    const text = rest + part;
    // Its line feed may come with the next part.
    const held = text.endsWith('\r') ? '\r' : '';
    const lines = text.slice(0, text.length - held.length).split(LINE_END);
    rest = lines.pop()! + held;
    yield lines;
    if (rest.length > LINE_LENGTH_MAX) break;
  }
  const last = rest.replace(/\r$/, '').replace(END_OF_FILE, '');
  if (last !== '') yield [last];
}

async function* textOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  for await (const chunk of beginningWith(4, bytes)) {
    decoder ??= new TextDecoder(encodingOf(chunk));
    yield decoder.decode(chunk, { stream: true });
  }
}

/** A file begins with the name of a column, so zeros reveal UTF-16 without a mark. */
function encodingOf(beginning: Uint8Array): string {
  const bytes = Buffer.from(beginning.subarray(0, 4));
  const hex = bytes.toString('hex');
  const found = NO_TEXT[hex];
  if (found !== undefined)
    throw statementMalformed(`The file is ${found}, and has to be text: save it as CSV.`);
  if (hex.startsWith('fffe') || (bytes[0] !== 0 && bytes[1] === 0)) return 'utf-16le';
  return hex.startsWith('feff') || (bytes[0] === 0 && bytes[1] !== 0) ? 'utf-16be' : 'utf-8';
}
