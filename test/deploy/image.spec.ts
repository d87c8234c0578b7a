import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { programs, root, textOf } from './programs';

const dockerfile = textOf('deploy', 'image', 'Dockerfile');
const entryPoint = join(root, 'deploy', 'image', 'hongbao.mjs');

const start = (...words: string[]) =>
  spawnSync(process.execPath, [entryPoint, ...words], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, PORT: '1', WORKER_PORT: '1' },
  });

describe('the image', () => {
  it('has every program that its entry point knows', () => {
    expect([...programs.keys()]).toEqual([
      'api',
      'worker',
      'migrate',
      'archive',
      'erasure',
      'verify',
      'doctor',
      'shards',
      'token',
      'admin',
    ]);
    expect([...programs.values()].filter((file) => !existsSync(join(root, `${file}.ts`)))).toEqual([]);
  });

  it('and a checkout get packages that run no code while they are installed', () => {
    expect(textOf('.npmrc').split('\n')).toContain('ignore-scripts=true');
    const installs = dockerfile.match(/npm (ci|install)\b.*/g)!;
    expect(installs.filter((install) => !install.includes('--ignore-scripts'))).toEqual([]);
  });

  it('is based on one exact Node release of a line with long-term support', () => {
    const bases = Array.from(dockerfile.matchAll(/^FROM (\S+)/gm), (line) => line[1]);
    expect(new Set(bases)).toEqual(new Set(['${BASE}', 'packages']));
    expect(dockerfile).toMatch(/^ARG BASE=node:24\.\d+\.\d+-\w+-slim$/m);
  });

  it('contains only those files of a checkout that Dockerfile.dockerignore names', () => {
    const [first] = textOf('deploy', 'image', 'Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => !line.startsWith('#'));
    expect(first).toBe('*');
  });

  it('refuses a program that it does not have, and lists the others', () => {
    const { status, stderr } = start('serve');
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'Unknown program serve: use one of api, worker, migrate, archive, erasure, verify, doctor, shards, token, admin.\n',
    });
  });

  it('is unhealthy while neither program answers', () => {
    const { status, stderr } = start('health');
    expect({ status, stderr }).toEqual({ status: 1, stderr: 'Neither API nor worker is alive.\n' });
  });
});
