import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';

const GENERATOR = resolve('node_modules', 'openapi-typescript', 'bin', 'cli.js');

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  noImplicitReturns: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  types: [],
};

/** Returns the types that clients generate from an API document, with these generator options. */
export async function generateTypes(document: string, ...options: string[]): Promise<string> {
  return inDirectory(async (directory) => {
    const [input, output] = [join(directory, 'openapi.json'), join(directory, 'api.d.ts')];
    writeFileSync(input, document);
    await promisify(execFile)(process.execPath, [GENERATOR, input, '--output', output, ...options]);
    return readFileSync(output, 'utf8');
  });
}

/** Returns the compiler's complaints about these programs, which import types from `./api`. */
export function compile(types: string, programs: Record<string, string>): Record<string, string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'hongbao-types-'));
  try {
    writeFileSync(join(directory, 'api.d.ts'), types);
    const files = Object.entries(programs).map(
      ([name, text]) => [name, join(directory, `${name}.ts`), text] as const,
    );
    for (const [, file, text] of files) writeFileSync(file, text);
    const program = ts.createProgram(
      files.map(([, file]) => file),
      OPTIONS,
    );
    const faults = files.map(([name, file]) => [name, faultsOf(program, file)] as const);
    return Object.fromEntries(faults.filter(([, messages]) => messages.length > 0));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const faultsOf = (program: ts.Program, file: string): string[] =>
  ts
    .getPreEmitDiagnostics(program, program.getSourceFile(file))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));

async function inDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'hongbao-types-'));
  return work(directory).finally(() => rmSync(directory, { recursive: true }));
}
