import fc from 'fast-check';
import { readCsv, withoutMarks } from '../../test/harness/csv';
import { csvLine } from '.';

/** Reads a line as a program that knows our marks would. */
const readLine = (line: string): string[] => readCsv(line).flat().map(withoutMarks);

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('=', '+', '-', '@', "'", '"', ',', ';', ' ', '\t', '\r', '\n', '1', '.', 'a'),
  }),
);

describe('a line of CSV', () => {
  it.each<[string, (string | null)[], string]>([
    ['plain text', ['u1', '7.10', null, ''], 'u1,7.10,,\r\n'],
    [
      'separators and quotes',
      ['a,b', 'c;d', 'say "hi"', 'two\nlines'],
      '"a,b","c;d","say ""hi""","two\nlines"\r\n',
    ],
    ['spaces at an edge', [' a', 'b '], '" a","b "\r\n'],
    ['formulas', ['=1+1', '+1+1', '-1+1', '@SUM(A1)', '＝1'], "'=1+1,'+1+1,'-1+1,'@SUM(A1),'＝1\r\n"],
    ['formulas after a space or a line break', [' =1', '\r=1'], "' =1,\"'\r'=1\"\r\n"],
    [
      'formulas after a separator within a cell',
      ['a;=1;b', 'c\t"@x', "d;'e"],
      `"a;'=1;b","c\t'""@x","d;''e"\r\n`,
    ],
    ['numbers', ['-7.10', '-1', '12'], '-7.10,-1,12\r\n'],
  ])('holds %s', (_, cells, line) => {
    expect(csvLine(cells)).toBe(line);
  });

  it('a program reads the original cells from a line', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (cells) => {
        expect(readLine(csvLine(cells))).toEqual(cells);
      }),
    );
  });

  it('a line has no cell that a spreadsheet calculates, with any separator', () => {
    fc.assert(
      fc.property(text, (value) => {
        const line = csvLine(['a', value]);
        const cells = [...readCsv(line).flat(), ...line.split(/[;\r\n]/), ...line.split(/[\t\r\n]/)];
        const formulas = cells.filter(
          (cell) => /^[\s"]*[=+\-@＝＋－＠]/.test(cell) && !/^-?\d+(\.\d+)?$/.test(cell),
        );
        expect(formulas).toEqual([]);
      }),
    );
  });
});
