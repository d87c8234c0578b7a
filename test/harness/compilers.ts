import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onPath, unpackedPackage } from '../../src/dev/engines';

/** @throws Error with a one-line message if there is none */
export async function goCompiler(localDir: string): Promise<string> {
  const installed = onPath('go');
  if (installed !== undefined) return installed;
  const root = await unpackedPackage(localDir, 'golang-go', 'go');
  if (root === undefined) throw new Error('No go here: install the package golang-go.');
  const [version] = readdirSync(join(root, 'usr', 'lib')).filter((name) => name.startsWith('go-'));
  return join(root, 'usr', 'lib', version!, 'bin', 'go');
}

/**
 * Returns the directory of `java` and `javac`.
 * @throws Error with a one-line message if there is none
 */
export async function javaDirectory(localDir: string): Promise<string> {
  const installed = onPath('javac');
  if (installed !== undefined) return dirname(installed);
  const root = await unpackedPackage(localDir, 'default-jdk-headless', 'java');
  if (root === undefined) throw new Error('No Java compiler here: install the package default-jdk-headless.');
  return join(root, 'usr', 'lib', 'jvm', 'default-java', 'bin');
}
