import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Buildah } from './buildah';
import { Containers } from './container';
import { checkConfinement } from './confinement';
import { checkContents } from './contents';
import { makeStandIn } from './stand-in-base';
import { Steps } from './steps';
import { runSystem } from './system';
import { withEngines } from './engines';

const ROOT = resolve(__dirname, '..', '..', '..');
const DOCKERFILE = join(ROOT, 'deploy', 'image', 'Dockerfile');
const TAG = 'hongbao:test';

export interface ImageTest {
  readonly version: string;
  /** The directory that keeps the stand-in for the base and the engines' binaries between runs. */
  readonly localDir: string;
}

/** Builds the image as its users do, and runs it; returns true if all of it is correct. */
export async function testImage({ version, localDir }: ImageTest): Promise<boolean> {
  const directory = resolve(localDir, 'image');
  mkdirSync(directory, { recursive: true });
  const buildah = new Buildah(directory);
  const steps = new Steps();
  await buildah.prune();
  await steps.run('a base under the name that the Dockerfile gives', () =>
    makeStandIn(buildah, directory, DOCKERFILE),
  );
  await steps.run('the image, built', () =>
    buildah.build({ tag: TAG, dockerfile: DOCKERFILE, context: ROOT, arguments: { VERSION: version } }),
  );
  const logDir = mkdtempSync(join(tmpdir(), 'hongbao-image-'));
  const config = await buildah.configOf(TAG);
  const passed = await buildah.withFiles(TAG, async (root) => {
    await checkContents(steps, { root, config, version });
    const containers = new Containers(root, config, logDir);
    await checkConfinement(steps, containers);
    await withEngines(localDir, (engines) => runSystem(steps, containers, engines));
    return steps.passed;
  });
  if (passed) rmSync(logDir, { recursive: true, force: true });
  else console.log(`Logs are in ${logDir}.`);
  return passed;
}
