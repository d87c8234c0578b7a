import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { distributedProgram, unpackedPackages } from '../../src/dev/engines';
import { goCompiler } from '../harness/compilers';

const run = promisify(execFile);

export interface Place {
  readonly localDir: string;
  /** An empty directory of this client. */
  readonly directory: string;
  /** The directory of `java` and `javac`. */
  readonly java: string;
  readonly jar: string;
}

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

export interface ClientLanguage {
  readonly name: string;
  /** Below the directory of the client. */
  readonly generatesInto: string;
  readonly options: readonly string[];
  /** Compiles the client and its examples, and returns the program of each. */
  readonly build: (place: Place) => Promise<Programs>;
}

/** `grab` runs as a user, `fund` as two members of staff. */
export type Programs = Readonly<Record<'grab' | 'fund', Command>>;

/** A directory of packages where they are unpacked, and where others are installed. */
const inPackages = (unpacked: string | undefined, directory: string): string[] =>
  [unpacked, '/'].flatMap((root) => (root === undefined ? [] : [join(root, directory)]));

const example = (...file: string[]): string => resolve('examples', 'clients', ...file);

const TYPESCRIPT: ClientLanguage = {
  name: 'TypeScript',
  generatesInto: 'hongbao',
  options: ['-g', 'typescript-fetch', '--additional-properties=typescriptThreePlus=true'],
  async build({ directory }) {
    const sources = ['grab.ts', 'fund.ts'];
    for (const source of sources) cpSync(example('typescript', source), join(directory, source));
    const tsc = [resolve('node_modules', 'typescript', 'bin', 'tsc'), '--ignoreConfig', '--strict'];
    const libraries = ['--lib', 'es2023,dom', '--types', 'node', '--skipLibCheck'];
    const types = ['--typeRoots', resolve('node_modules', '@types')];
    const target = ['--target', 'es2023', '--module', 'node20', '--outDir', 'compiled'];
    await run(process.execPath, [...tsc, ...libraries, ...types, ...target, ...sources], { cwd: directory });
    const compiled = (name: string) => ({
      command: process.execPath,
      args: [join(directory, 'compiled', name)],
    });
    return { grab: compiled('grab.js'), fund: compiled('fund.js') };
  },
};

const PYTHON_LIBRARIES = ['python3-urllib3', 'python3-dateutil', 'python3-certifi'];

const PYTHON: ClientLanguage = {
  name: 'Python',
  generatesInto: 'generated',
  options: ['-g', 'python', '--package-name', 'hongbao'],
  async build({ localDir, directory }) {
    const python = await distributedProgram(localDir, 'python3-minimal', 'usr/bin/python3');
    const unpacked = await unpackedPackages(localDir, PYTHON_LIBRARIES, 'python-libraries');
    const client = join(directory, 'generated');
    const libraries = inPackages(unpacked, join('usr', 'lib', 'python3', 'dist-packages'));
    const env = { ...python.env, PYTHONPATH: [client, ...libraries].join(delimiter) };
    await run(python.command, ['-m', 'compileall', '-q', join(client, 'hongbao')], { env });
    const script = (name: string) => ({ command: python.command, args: [example('python', name)], env });
    return { grab: script('grab.py'), fund: script('fund.py') };
  },
};

const GO: ClientLanguage = {
  name: 'Go',
  generatesInto: join('src', 'hongbao'),
  options: ['-g', 'go-experimental', '--package-name', 'hongbao'],
  async build({ localDir, directory }) {
    const go = await goCompiler(localDir);
    const library = await unpackedPackages(localDir, ['golang-golang-x-oauth2-dev'], 'go-oauth2');
    const paths = [directory, ...inPackages(library, join('usr', 'share', 'gocode'))];
    const cache = join(resolve(localDir), 'go-cache');
    const modules = { GO111MODULE: 'off', GOPATH: paths.join(delimiter), GOFLAGS: '' };
    const env = { ...process.env, ...modules, GOCACHE: cache, CGO_ENABLED: '0' };
    const compile = async (name: string) => {
      const command = join(directory, name);
      await run(go, ['build', '-o', command, example('go', `${name}.go`)], { cwd: directory, env });
      return { command, args: [] };
    };
    return { grab: await compile('grab'), fund: await compile('fund') };
  },
};

/**
 * The only library of a Java client that the generator does not contain. It distinguishes null from fields
 * that a PATCH omits.
 */
const NULLABLE = {
  'JsonNullableModule.java': `package org.openapitools.jackson.nullable;
public class JsonNullableModule extends com.fasterxml.jackson.databind.module.SimpleModule {}`,
  'JsonNullable.java': `package org.openapitools.jackson.nullable;
public class JsonNullable<T> {
  private final T value;
  private JsonNullable(T value) { this.value = value; }
  public static <T> JsonNullable<T> of(T value) { return new JsonNullable<T>(value); }
  public static <T> JsonNullable<T> undefined() { return new JsonNullable<T>(null); }
  public T orElse(T other) { return value == null ? other : value; }
}`,
};

const JAVA: ClientLanguage = {
  name: 'Java',
  generatesInto: 'generated',
  options: [
    ...['-g', 'java', '--library', 'native', '--additional-properties=dateLibrary=java8'],
    ...['--invoker-package', 'hongbao', '--api-package', 'hongbao.api', '--model-package', 'hongbao.model'],
  ],
  async build({ directory, java, jar }) {
    const nullable = Object.entries(NULLABLE).map(([name, source]) => {
      writeFileSync(join(directory, name), source);
      return join(directory, name);
    });
    const sources = join(directory, 'generated', 'src', 'main');
    const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.java'))
      .map((file) => join(sources, file));
    const classes = join(directory, 'classes');
    mkdirSync(classes);
    const javac = ['-J-XX:TieredStopAtLevel=1', '-proc:none', '-nowarn', '-d', classes, '-classpath', jar];
    const examples = ['Grab', 'Fund'].map((name) => example('java', `${name}.java`));
    await run(join(java, 'javac'), [...javac, ...nullable, ...examples, ...files]);
    const main = (name: string) => ({
      command: join(java, 'java'),
      args: ['-classpath', [classes, jar].join(delimiter), name],
    });
    return { grab: main('Grab'), fund: main('Fund') };
  },
};

export const CLIENT_LANGUAGES = [TYPESCRIPT, PYTHON, GO, JAVA];
