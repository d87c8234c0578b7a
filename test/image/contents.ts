import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ImageConfig } from './buildah';
import type { Steps } from './steps';
import { run } from './tools';

export interface BuiltImage {
  readonly root: string;
  readonly config: ImageConfig;
  readonly version: string;
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** Checks the files of the image, the absence of others, and its configuration. */
export async function checkContents(steps: Steps, { root, config, version }: BuiltImage): Promise<void> {
  const app = join(root, config.WorkingDir);
  const manifest = JSON.parse(readFileSync(resolve('package.json'), 'utf8')) as Manifest;
  const isInstalled = (name: string) => existsSync(join(app, 'node_modules', name));
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  const forDevelopment = Object.keys(devDependencies).filter(isForDevelopmentOnly());
  const wanted = Object.keys(dependencies);
  steps.check('every production package is there', wanted.filter(isInstalled), wanted);
  steps.check(
    'no package for development',
    [...forDevelopment, ...Object.keys(optionalDependencies)].filter(isInstalled),
    [],
  );
  steps.check('no sources, tests or settings', unwanted(app), []);
  steps.check('no secret of the build', existsSync(join(root, 'root', '.npmrc')), false);
  const writable = await run('find', [app, '-xdev', '(', '-not', '-user', '0', '-o', '-perm', '-o=w', ')']);
  steps.check('nothing that its user could change', ofFiles(writable), []);
  steps.check('a user by number, who is not root', /^[1-9]\d*:[1-9]\d*$/.test(config.User), true);
  steps.check('its version as a label', config.Labels['org.opencontainers.image.version'], version);
  steps.check('a health check', config.Healthcheck.Test[0], 'CMD');
}

/** npm's lock file tells the packages of production and of tests apart. */
function isForDevelopmentOnly(): (name: string) => boolean {
  const { packages } = JSON.parse(readFileSync(resolve('package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  return (name) => packages[`node_modules/${name}`]?.dev === true;
}

const unwanted = (app: string): string[] =>
  ['.env', '.git', '.local', 'src', 'test', join('dist', 'test')].filter((name) =>
    existsSync(join(app, name)),
  );

/** Leaves out symbolic links, which cannot be changed by any user, whatever their mode says. */
const ofFiles = (found: string): string[] =>
  found.split('\n').filter((path) => path !== '' && !path.includes('/node_modules/.bin/'));
