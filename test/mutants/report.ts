import { existsSync, readFileSync } from 'node:fs';

type Status = 'Killed' | 'Survived' | 'NoCoverage' | 'Timeout' | 'RuntimeError' | 'CompileError' | 'Ignored';

interface SourcePlace {
  readonly line: number;
  readonly column: number;
}

/** The parts of the mutation testing report schema that this project reads. */
interface Report {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly source: string;
        readonly mutants: readonly {
          readonly status: Status;
          readonly replacement?: string;
          readonly location: { readonly start: SourcePlace; readonly end: SourcePlace };
        }[];
      }
    >
  >;
}

export interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly change: string;
  readonly isSeen: boolean;
}

/** Returns the mutants of a report, without those that never ran. */
export function mutantsIn(reportFile: string): Mutant[] {
  if (!existsSync(reportFile)) return [];
  const { files } = JSON.parse(readFileSync(reportFile, 'utf8')) as Report;
  return Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => status !== 'RuntimeError' && status !== 'CompileError' && status !== 'Ignored')
      .map(({ status, replacement = '', location: { start, end } }) => ({
        file,
        line: start.line,
        isSeen: status === 'Killed' || status === 'Timeout',
        change: `${inOneLine(textBetween(source, start, end))} → ${inOneLine(replacement) || '(nothing)'}`,
      })),
  );
}

/** Lines and columns begin at 1. */
function textBetween(source: string, start: SourcePlace, end: SourcePlace): string {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = lines[last]!.slice(0, end.column - 1);
  lines[0] = lines[0]!.slice(start.column - 1);
  return lines.join('\n');
}

export const inOneLine = (text: string): string => text.trim().replace(/\s+/g, ' ');
