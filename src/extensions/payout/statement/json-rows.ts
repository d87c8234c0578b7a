import { repeatedKey } from '../../../../libs/repeated-key';
import { jsonFaultAt } from '../../../platform/http';
import { LINE_ENDS_LOST, LineFault, type Row, type Rows } from './rows';
import { LINE_LENGTH_MAX } from './statement-text';

/** Each line is an object. A day without payments is an empty line. */
export class JsonRows implements Rows {
  readonly isComplete = true;

  read(text: string, no: number): Row | 'empty' {
    if (text.trim() === '') return 'empty';
    const cells = this.parse(text);
    const twice = cells === undefined ? undefined : repeatedKey(text);
    if (twice !== undefined) throw new LineFault(no, this.placeOf(twice), 'it is there twice');
    if (typeof cells === 'object' && cells !== null && !Array.isArray(cells))
      return { no, cells: cells as Row['cells'] };
    throw new LineFault(no, ...faultOf(text));
  }

  end(): void {
    // No line continues on the next.
  }

  placeOf(column: string): string {
    return `, \`${column}\``;
  }

  private parse(text: string): unknown {
    if (text.length > LINE_LENGTH_MAX) return undefined;
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }
}

function faultOf(text: string): [place: string, fault: string] {
  if (/\}\s*\{/.test(text)) return ['', LINE_ENDS_LOST];
  if (text.length > LINE_LENGTH_MAX) return ['', `it is longer than ${LINE_LENGTH_MAX} characters`];
  const at = jsonFaultAt(text);
  if (at === undefined) return ['', 'it has to be a JSON object'];
  if (text.startsWith('[')) return ['', 'a list begins: write one object per line, without brackets'];
  return [`, character ${at + 1}`, 'it is not JSON; each line has to be a whole object'];
}
