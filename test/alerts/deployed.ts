import { parseYaml } from '@redocly/openapi-core';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '..', '..');

export const RULES_FILE = join(root, 'deploy', 'prometheus', 'rules', 'hongbao.yml');
export const PROMETHEUS_FILE = join(root, 'deploy', 'prometheus', 'prometheus.yml');
const DASHBOARDS = join(root, 'deploy', 'grafana', 'dashboards');

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

interface Recording {
  readonly record: string;
  readonly expr: string;
}

export interface Panel {
  readonly title: string;
  readonly datasource: { readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string }[];
}

export interface Dashboard {
  readonly file: string;
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

export const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');

const { groups } = parseYaml(readFileSync(RULES_FILE, 'utf8')) as {
  groups: { rules: (Alert | Recording)[] }[];
};
const rules = groups.flatMap((group) => group.rules);

export const alerts = rules.filter((rule): rule is Alert => 'alert' in rule);
export const recordings = rules.filter((rule): rule is Recording => 'record' in rule);

export const dashboards: Dashboard[] = readdirSync(DASHBOARDS).map((file) => ({
  file,
  ...(JSON.parse(readFileSync(join(DASHBOARDS, file), 'utf8')) as Omit<Dashboard, 'file'>),
}));

export const panelsOf = (board: Dashboard): string[] =>
  board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
