import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hasPackages, onPath, unpackPackage } from './debian-package';
import { fillOnce } from './directory';

/**
 * The program that checks and tests the rules of Prometheus: an installed one, else that of the distribution's package,
 * unpacked below `localDir` like Redis.
 *
 * @throws Error with one line when neither is available
 */
export async function promtool(localDir: string): Promise<string> {
  const installed = onPath('promtool');
  if (installed !== undefined) return installed;
  const root = join(resolve(localDir), 'engines', 'promtool');
  if (hasPackages())
    await fillOnce(root, (draft) => unpackPackage(draft, 'prometheus')).catch(() => undefined);
  const unpacked = join(root, 'usr', 'bin', 'promtool');
  if (!existsSync(unpacked)) throw new Error('No promtool here: install the package prometheus.');
  return unpacked;
}
