import fc from 'fast-check';
import { csvCells, csvLine, DELIMITERS, withoutMarks } from '.';

const text = fc.string({
  unit: fc.constantFrom('=', '-', '@', "'", '"', ',', ';', ' ', '\t', '\r', '\n', '1', 'a'),
});

describe('the cells of a line of CSV', () => {
  it('are the cells that our own writer was given, once its marks are removed', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (cells) => {
        const read = csvCells(csvLine(cells).slice(0, -2), ',');
        expect(Array.isArray(read) && read.map(withoutMarks)).toEqual(cells);
      }),
    );
  });

  it.each(DELIMITERS)('are the same in quotes and without them, around the delimiter %j', (delimiter) => {
    const cells = ['a', '', '5"', 'b c'];
    const quoted = cells.map((cell) => `"${cell.replaceAll('"', '""')}"`);
    for (const line of [cells.join(delimiter), quoted.join(` ${delimiter} `)])
      expect(csvCells(line, delimiter)).toEqual(cells);
  });

  it.each([
    ['a,"b', { character: 3, isOpen: true }],
    ['a,"b""', { character: 3, isOpen: true }],
    ['a,"b"c', { character: 3, isOpen: false }],
  ])('cannot be read past a quote that is unclosed or not at the end of its cell: %s', (line, fault) => {
    expect(csvCells(line, ',')).toEqual(fault);
  });
});
