export { csvLine } from './csv';
export { csvCells, DELIMITERS, type Delimiter, withoutMarks } from './read-csv';
