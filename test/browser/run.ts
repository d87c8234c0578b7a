import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromiumProgram, freePort, unpackedPackage } from '../../src/dev/engines';
import type { Role } from '../../libs/roles';
import { signToken } from '../../src/platform/http/auth/sign-token';
import { type LocalSystem, startLocalSystem } from '../../src/dev/local/system';
import { openChromium } from '../harness/browser';
import { Steps } from '../harness/steps';
import { playBesideCrowd } from './crowd-beside';
import { breakOnWall } from './demo-on-wall';
import { playByClicks } from './rain-by-clicks';
import { Pictures } from './pictures';
import { playOnPages } from './rain-on-pages';

const LOCAL_DIR = process.env.LOCAL_DIR || '.local';

/** Addresses of Swagger UI: beside the API, or in production on another port. */
const SETUPS = [
  {
    name: 'development',
    env: { NODE_ENV: 'development', RAIN_GUESTS: 'true' },
    hasAdminPort: false,
    hasCrowd: false,
    hasPictures: true,
  },
  {
    name: 'production',
    env: { NODE_ENV: 'production' },
    hasAdminPort: true,
    hasCrowd: true,
    hasPictures: false,
  },
];

/**
 * `npm run test:browser`: breaks a demo first, and then plays a whole rain by clicks alone, in
 * Swagger UI and on the pages, in every set-up that serves them.
 */
async function main(): Promise<boolean> {
  const { pictures: directory } = parseArgs({ options: { pictures: { type: 'string' } } }).values;
  const { command, env } = await chromiumProgram(LOCAL_DIR, (line) => console.log(line));
  const steps = new Steps();
  const browser = await openChromium({ command, env: { ...env, XDG_DATA_HOME: await chineseFonts() } });
  try {
    console.log('demo:');
    await breakOnWall(steps, browser, LOCAL_DIR, new Pictures(directory));
    for (const setup of SETUPS) {
      console.log(`${setup.name}:`);
      await inSystem(setup, async ({ apiUrl, adminUrl }, tokenOf) => {
        const tokens = { operator: tokenOf('operator-1', 'operator'), user: tokenOf('user-1') };
        await playByClicks(steps, await browser.newPage(), `${adminUrl}/docs`, tokens);
        const pictures = new Pictures(setup.hasPictures ? directory : undefined);
        const stage = { apiUrl, adminUrl, tokenOf, operator: tokens.operator, pictures };
        await playOnPages(steps, browser, stage);
        if (setup.hasCrowd) await playBesideCrowd(steps, browser, stage);
      });
    }
  } finally {
    await browser.close();
  }
  return steps.passed;
}

/**
 * Directory of Chinese fonts for the browser, if they can be fetched: the pages are in Chinese as
 * well.
 */
async function chineseFonts(): Promise<string> {
  const root = await unpackedPackage(LOCAL_DIR, 'fonts-wqy-microhei');
  return join(root ?? '', 'usr', 'share');
}

async function inSystem(
  { env, hasAdminPort }: (typeof SETUPS)[number],
  play: (system: LocalSystem, tokenOf: (sub: string, role?: Role) => string) => Promise<void>,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hongbao-browser-'));
  const adminPort = hasAdminPort ? await freePort() : undefined;
  const system = await startLocalSystem({
    localDir: LOCAL_DIR,
    dataDir,
    adminPort,
    env,
  });
  try {
    const { jwtSecret: secret } = system;
    await play(system, (sub, role = 'user') => signToken({ secret }, { sub, role }));
  } finally {
    await system.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

main().then(
  (passed) => process.exit(passed ? 0 : 1),
  (error: Error) => {
    console.error(error.message);
    process.exit(1);
  },
);
