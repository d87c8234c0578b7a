import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type DistributedProgram, distributedProgram, onPath } from './debian-package';

/** The program in `usr/bin` is a script for installed packages. */
const FILE = 'usr/lib/chromium/chromium';

const FONTS = '/etc/fonts/fonts.conf';

/**
 * Returns an installed Chromium, or the one in Debian's package, unpacked below `localDir`.
 * @throws Error with one line when neither is available
 */
export async function chromiumProgram(
  localDir: string,
  report: (line: string) => void = () => undefined,
): Promise<DistributedProgram> {
  const root = join(localDir, 'engines', 'chromium');
  if (onPath('chromium') === undefined && !existsSync(root))
    report('Fetching Chromium from the distribution (unpacked privately, nothing is installed)…');
  const program = await distributedProgram(localDir, 'chromium', FILE);
  return existsSync(FONTS) ? program : { ...program, env: { ...program.env, FONTCONFIG_SYSROOT: root } };
}
