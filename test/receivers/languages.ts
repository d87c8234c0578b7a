import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import {
  type DistributedProgram,
  distributedProgram,
  onPath,
  unpackedPackage,
  unpackedProgram,
} from '../../src/dev/engines';
import { goCompiler, javaDirectory } from '../harness/compilers';

export interface Language {
  readonly name: string;
  /** Below `examples/receivers`. */
  readonly file: string;
  /**
   * Returns the program that runs `file`; what it makes before that is kept in `directory`.
   * @throws Error with one line when it is not available
   */
  readonly program: (localDir: string, file: string, directory: string) => Promise<ReceiverCommand>;
}

export interface ReceiverCommand extends DistributedProgram {
  readonly args: (port: number) => string[];
}

const run = promisify(execFile);
const PHP_WORKERS = '8';

export const exampleOf = ({ file }: Language): string => resolve('examples', 'receivers', file);

export const NODE: Language = {
  name: 'node',
  file: 'node/receiver.mjs',
  program: async (_, file) => ({ command: process.execPath, env: process.env, args: () => [file] }),
};

export const PYTHON: Language = {
  name: 'python',
  file: 'python/receiver.py',
  program: async (localDir, file) => ({
    ...(await distributedProgram(localDir, 'python3-minimal', 'usr/bin/python3')),
    args: () => [file],
  }),
};

const GO: Language = {
  name: 'go',
  file: 'go/receiver.go',
  async program(localDir, file, directory) {
    const go = await goCompiler(localDir);
    const env = { ...process.env, GOCACHE: join(directory, 'cache'), CGO_ENABLED: '0', GOFLAGS: '-mod=mod' };
    const command = join(directory, 'receiver');
    await run(go, ['build', '-o', command, file], { env, cwd: directory });
    return { command, env: process.env, args: () => [] };
  },
};

const JAVA: Language = {
  name: 'java',
  file: 'java/Receiver.java',
  async program(localDir, file) {
    const command = join(await javaDirectory(localDir), 'java');
    return { command, env: process.env, args: () => [file] };
  },
};

const PHP: Language = {
  name: 'php',
  file: 'php/receiver.php',
  async program(localDir, file) {
    const php = await phpProgram(localDir);
    const env = { ...php.env, PHP_CLI_SERVER_WORKERS: PHP_WORKERS };
    return { command: php.command, env, args: (port) => ['-S', `127.0.0.1:${port}`, file] };
  },
};

async function phpProgram(localDir: string): Promise<DistributedProgram> {
  const installed = onPath('php');
  if (installed !== undefined) return { command: installed, env: process.env };
  const root = await unpackedPackage(localDir, 'php-cli', 'php');
  if (root === undefined) throw new Error('No php here: install the package php-cli.');
  const [name] = readdirSync(join(root, 'usr', 'bin')).filter((file) => /^php\d/.test(file));
  return unpackedProgram(root, join('usr', 'bin', name!));
}

export const LANGUAGES = [NODE, PYTHON, GO, JAVA, PHP];
