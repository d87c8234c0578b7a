import { join } from 'node:path';
import ts from 'typescript';

/** Errors about names that a fault has left unused. They are no errors of types. */
const UNUSED = [6133, 6138, 6192, 6196, 6198];

/** Checks the types of one changed file at a time, of a checkout that is sound. */
export class TypeCheck {
  private readonly service: ts.LanguageService;
  private changed = { path: '', text: '' };
  private version = 0;

  constructor(private readonly root: string) {
    const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path))
      .config as object;
    const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    this.service = ts.createLanguageService({
      readFile: (path) => ts.sys.readFile(path),
      directoryExists: (path) => ts.sys.directoryExists(path),
      fileExists: (path) => ts.sys.fileExists(path),
      getCompilationSettings: () => options,
      getCurrentDirectory: () => root,
      getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
      getScriptFileNames: () => fileNames,
      getScriptVersion: (path) => (path === this.changed.path ? `changed ${this.version}` : ''),
      getScriptSnapshot: (path) => {
        const text = path === this.changed.path ? this.changed.text : ts.sys.readFile(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
    });
  }

  /** Returns whether the file compiles with this text. */
  accepts(file: string, text: string): boolean {
    if (!file.endsWith('.ts')) return true;
    this.changed = { path: join(this.root, file), text };
    this.version += 1;
    const { path } = this.changed;
    const errors = [
      ...this.service.getSyntacticDiagnostics(path),
      ...this.service.getSemanticDiagnostics(path),
    ];
    return errors.every(({ code }) => UNUSED.includes(code));
  }
}
