import type { FILE_COLUMNS } from '../../../../libs/payout-protocol';

export type Column = (typeof FILE_COLUMNS)[number];

/** A line of a file, not yet judged. */
export interface Row {
  readonly no: number;
  readonly cells: Readonly<Record<Column, unknown>>;
  /** Why it cannot be a payment. */
  readonly fault?: string;
}

/** Reads the lines of a format in their order. */
export interface Rows {
  /** Whether the file may end here. */
  readonly isComplete: boolean;
  /**
   * Undefined for the line of columns, and for a line that continues on the next.
   * @throws LineFault
   */
  read(text: string, no: number): Row | 'empty' | undefined;
  /** @throws LineFault if the last line is not complete */
  end(): void;
  placeOf(column: Column): string;
}

/** A sentence that says what is wrong with a line. */
export class LineFault extends Error {
  constructor(no: number, place: string, fault: string) {
    super(`Line ${no}${place}: ${fault}.`);
  }
}

/** Some clients drop line ends from what they read from a file. */
export const LINE_ENDS_LOST =
  'another line follows on it, so the line ends are gone; send the file with `--data-binary`, which keeps them';

const SHOWN_MAX = 40;

/** The beginning of a text of the file, for a sentence. */
export const shown = (text: string): string => text.slice(0, SHOWN_MAX).replace(/[\p{C}`]/gu, '\ufffd');
