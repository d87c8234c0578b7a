import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { onPath } from '../../src/dev/engines';
import { root } from './programs';

/** The oldest major version that knows `labels` and `patches` as our manifests use them. */
const KUSTOMIZE_MAJOR_MIN = 5;

export function missingKubectl(): string | undefined {
  const needed = `kubectl with Kustomize ${KUSTOMIZE_MAJOR_MIN} (Debian 13 has it as kubernetes-client)`;
  if (onPath('kubectl') === undefined) return `The manifests were not checked: install ${needed}.`;
  const version = kubectl('version', '--client', '--output=json');
  const [, major = '0'] = /"kustomizeVersion": "v(\d+)/.exec(version) ?? [];
  if (Number(major) >= KUSTOMIZE_MAJOR_MIN) return undefined;
  return `The manifests were not checked: this kubectl is too old, install ${needed}.`;
}

// A test reads any field of a manifest.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type KubernetesObject = { readonly kind: string } & Record<string, any>;

/** Every object of an overlay, as `kubectl apply -k` would send it. */
export function render(overlay: string): KubernetesObject[] {
  const rendered = kubectl('kustomize', join(root, 'deploy', 'kubernetes', overlay));
  return parseAllDocuments(rendered).map((document) => inOneLine(document.toJS() as KubernetesObject));
}

/** Kustomize breaks long values of secrets into lines, which the schema does not accept. */
function inOneLine(object: KubernetesObject): KubernetesObject {
  if (object.kind !== 'Secret') return object;
  const values = Object.entries(object.data as Record<string, string>);
  const data = Object.fromEntries(values.map(([key, value]) => [key, value.replaceAll('\n', '')]));
  return { ...object, data };
}

const kubectl = (...args: string[]): string => execFileSync('kubectl', args, { encoding: 'utf8' });
