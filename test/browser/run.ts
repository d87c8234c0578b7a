import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { freePort, onPath } from '../../libs/local-engines';
import { signToken } from '../../src/commands/local/sign-token';
import { startLocalSystem } from '../../src/commands/local/system';
import { Steps } from '../harness/steps';
import { playByClicks } from './rain-by-clicks';

/** Where Swagger UI is served: beside the API, or in production on a port of its own. */
const SETUPS = [
  { name: 'development', env: { NODE_ENV: 'development' }, hasAdminPort: false },
  { name: 'production', env: { NODE_ENV: 'production' }, hasAdminPort: true },
];

/** `npm run test:browser`: a whole rain by clicks alone, in every set-up that serves Swagger UI. */
async function main(): Promise<boolean> {
  const executablePath = onPath('chromium');
  if (executablePath === undefined) throw new Error('The test needs a browser: apt-get install chromium');
  const steps = new Steps();
  // Chromium does not confine itself when it runs as root.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    for (const setup of SETUPS) {
      console.log(`${setup.name}:`);
      await inSystem(setup, async (url, tokens) => {
        await playByClicks(steps, await browser.newPage(), url, tokens);
      });
    }
  } finally {
    await browser.close();
  }
  return steps.passed;
}

async function inSystem(
  { env, hasAdminPort }: (typeof SETUPS)[number],
  play: (docsUrl: string, tokens: { operator: string; user: string }) => Promise<void>,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hongbao-browser-'));
  const adminPort = hasAdminPort ? await freePort() : undefined;
  const system = await startLocalSystem({
    localDir: process.env.LOCAL_DIR || '.local',
    dataDir,
    adminPort,
    env,
  });
  try {
    const token = (role: 'operator' | 'user') =>
      signToken({ secret: system.jwtSecret }, { sub: `${role}-1`, role });
    await play(`${system.adminUrl}/docs`, { operator: token('operator'), user: token('user') });
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
