import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { fillOnce } from '../../src/dev/engines';

const run = promisify(execFile);

/** Later packages download the generator from elsewhere; this one contains it. */
const PACKAGE = '@openapitools/openapi-generator-cli@1.0.18-4.3.1';
const INTEGRITY =
  'sha512-t5OFeIfbD5bUQH3/5xoCHr96ay9nIKPgtlkN9YrX7Ce4q8NdSUU/bl83MJjzU8qcdDiwZtuUgqTM2Y4FLOi9CA==';

/** For a fast start. */
const JVM = ['-XX:TieredStopAtLevel=1', '-jar'];

/** Returns the generator, fetched below `localDir` once. It contains the libraries of a client in Java. */
export async function generatorJar(localDir: string): Promise<string> {
  const directory = join(resolve(localDir), 'engines', 'openapi-generator');
  await fillOnce(directory, async (draft) => {
    const { stdout } = await run('npm', ['pack', '--json', PACKAGE], { cwd: draft });
    const [{ filename, integrity }] = JSON.parse(stdout) as [{ filename: string; integrity: string }];
    if (integrity !== INTEGRITY) throw new Error(`${PACKAGE} is not the one that was tried: ${integrity}`);
    await run('tar', ['-xzf', filename, '--strip-components', '1'], { cwd: draft });
  });
  return join(directory, 'bin', 'openapi-generator.jar');
}

/** Makes a client of the document at `input` in the directory `output`. */
export async function generate(
  java: string,
  jar: string,
  { input, output, options }: { input: string; output: string; options: readonly string[] },
): Promise<void> {
  await run(java, [...JVM, jar, 'generate', '-i', input, '-o', output, ...options], { maxBuffer: Infinity });
}
