import { readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { isOfExtensions, listWithout } from '../harness/without-extensions';

const LIST = resolve('src', 'extensions', 'index.ts');

const programs = ['main.ts', 'worker.ts', ...commands()].map((file) => resolve('src', file));

function commands(): string[] {
  const files = readdirSync(join('src', 'commands')).filter((file) => file.endsWith('.ts'));
  return files.map((file) => join('commands', file));
}

/** Checks the types of programs and commands several times, each time without other extensions. */
export class TypeCheck {
  private readonly options: ts.CompilerOptions;
  private readonly sources = new Map<string, ts.SourceFile | undefined>();
  private last?: ts.SemanticDiagnosticsBuilderProgram;

  constructor() {
    const { config } = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path));
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, resolve('.'));
    this.options = { ...options, incremental: false, tsBuildInfoFile: undefined, noEmit: true };
  }

  /** Returns a line for each fault. Only files that a change may have touched are checked again. */
  faultsWithout(names: readonly string[]): string[] {
    const roots = programs.filter((path) => !isOfExtensions(path, names));
    const host = this.hostWithout(names);
    this.last = ts.createSemanticDiagnosticsBuilderProgram(roots, this.options, host, this.last);
    return [
      ...this.last.getOptionsDiagnostics(),
      ...this.last.getSyntacticDiagnostics(),
      ...this.last.getSemanticDiagnostics(),
    ].map(lineOf);
  }

  private hostWithout(names: readonly string[]): ts.CompilerHost {
    const isLeft = (path: string) => !isOfExtensions(path, names);
    const host = ts.createIncrementalCompilerHost(this.options, {
      ...ts.sys,
      fileExists: (path) => isLeft(path) && ts.sys.fileExists(path),
      directoryExists: (path) => isLeft(path) && ts.sys.directoryExists(path),
      readFile: (path, encoding) => {
        const text = ts.sys.readFile(path, encoding);
        return path === LIST ? listWithout(text!, names) : text;
      },
    });
    const read = host.getSourceFile.bind(host);
    host.getSourceFile = (path, version) => {
      if (path === LIST) return read(path, version);
      if (!this.sources.has(path)) this.sources.set(path, read(path, version));
      return this.sources.get(path);
    };
    return host;
  }
}

const lineOf = ({ file, messageText }: ts.Diagnostic): string =>
  `${file ? relative('.', file.fileName) : ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
