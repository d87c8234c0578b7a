import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { homedir } from 'node:os';
import { run } from './tools';

/** The image's configuration for engines. */
export interface ImageConfig {
  readonly User: string;
  readonly WorkingDir: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

export interface Build {
  readonly tag: string;
  readonly dockerfile: string;
  readonly context: string;
  readonly arguments?: Readonly<Record<string, string>>;
}

/** Builds images without a daemon, in a separate storage, from local images: it pulls nothing. */
export class Buildah {
  private readonly storage: readonly string[];
  /** A file that exists only while an image is built, because it may hold a password. */
  private readonly npmrc: string;

  constructor(directory: string) {
    this.npmrc = join(directory, 'npmrc');
    const [root, state] = [join(directory, 'storage'), join(directory, 'state')];
    this.storage = ['--storage-driver', 'vfs', '--root', root, '--runroot', state];
  }

  async has(image: string): Promise<boolean> {
    return this.buildah('inspect', '--type', 'image', image).then(
      () => true,
      () => false,
    );
  }

  /** Builds with this machine's settings for npm: the registry, and the trusted certificates. */
  async build({ tag, dockerfile, context, arguments: args = {} }: Build): Promise<void> {
    const ignored = `${dockerfile}.dockerignore`;
    try {
      await this.buildah(
        'build',
        ...['--isolation', 'chroot', '--pull-never', '--format', 'docker', '--layers=false'],
        ...(existsSync(ignored) ? ['--ignorefile', ignored] : []),
        ...(await this.npmSettings()),
        ...Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
        ...['--file', dockerfile, '--tag', tag, context],
      );
    } finally {
      rmSync(this.npmrc, { force: true });
    }
  }

  async configOf(image: string): Promise<ImageConfig> {
    const inspected = await this.buildah('inspect', '--type', 'image', image);
    return (JSON.parse(inspected) as { Docker: { config: ImageConfig } }).Docker.config;
  }

  /** Makes the files of an image reachable during the work. */
  async withFiles<T>(image: string, work: (root: string) => Promise<T>): Promise<T> {
    const container = (await this.buildah('from', '--pull-never', image)).trim();
    try {
      return await work((await this.buildah('mount', container)).trim());
    } finally {
      await this.buildah('rm', container);
    }
  }

  /** Removes the remains of builds, even of killed ones; named images stay. */
  async prune(): Promise<void> {
    await this.buildah('rm', '--all');
    await this.buildah('rmi', '--prune', '--force');
  }

  private async npmSettings(): Promise<string[]> {
    const own = process.env.npm_config_userconfig ?? join(homedir(), '.npmrc');
    const [registry, authorities] = await Promise.all(['registry', 'cafile'].map(npmSetting));
    const isTrusting = existsSync(authorities!);
    const lines = [
      existsSync(own) ? readFileSync(own, 'utf8') : '',
      `registry=${registry}`,
      ...(isTrusting ? [`cafile=${authorities}`] : []),
    ];
    writeFileSync(this.npmrc, `${lines.join('\n')}\n`, { mode: 0o600 });
    const trust = isTrusting ? ['--volume', `${authorities}:${authorities}:ro`] : [];
    return ['--secret', `id=npmrc,src=${this.npmrc}`, ...trust];
  }

  private buildah(...args: string[]): Promise<string> {
    return run('buildah', [...this.storage, ...args]);
  }
}

const npmSetting = async (name: string): Promise<string> =>
  (await run('npm', ['config', 'get', name])).trim();
