import type { ComponentChildren } from 'preact';

/** A column of a table, and of its file. */
export interface Column<Row> {
  readonly name: string;
  readonly title: string;
  /** The value that rows are sorted by. */
  readonly value: (row: Row) => string | number | null;
  readonly cell?: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** Text that may take several lines. */
  readonly isProse?: boolean;
  /** An amount and its currency, which files have in two columns. */
  readonly isMoney?: boolean;
  /** Only in files: the table has it in the cell of another column. */
  readonly isInFilesOnly?: boolean;
  /** Not in files: its value is not told by the row alone. */
  readonly isShownOnly?: boolean;
}
