import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type KubernetesObject, missingKubectl, render } from './kubectl';
import { schemaFaults, unknownFields } from './kubernetes-schemas';
import {
  defaults,
  faultsOf,
  MIGRATION_SETTING,
  probeRoutes,
  programs,
  root,
  sampleSecret,
  settings,
  textOf,
} from './programs';

/** Sample values that an operator puts into the two secrets of production. */
const OPERATORS_SECRETS = {
  hongbao: {
    DATABASE_URL: 'postgres://hongbao_app:secret@db.internal:5432/hongbao',
    REDIS_URL: 'redis://hongbao:secret@redis.internal:6379',
    JWT_SECRET: 'f4c2Nn0sY7q1-kPz8Vw3Xb6Tj9Lr5Ue2Md',
  },
  'hongbao-owner': { [MIGRATION_SETTING]: 'postgres://hongbao:secret@db.internal:5432/hongbao' },
} as const;

const missing = missingKubectl();
if (missing !== undefined) process.stderr.write(`${missing}\n`);

const describeOverlays =
  missing === undefined ? describe.each(['development', 'production']) : describe.skip.each(['…']);

describeOverlays('the manifests of %s', (overlay) => {
  let objects: readonly KubernetesObject[];

  beforeAll(() => {
    objects = render(join('overlays', overlay));
  });

  const ofKind = (...kinds: string[]) => objects.filter(({ kind }) => kinds.includes(kind));
  const workloads = () =>
    ofKind('Deployment', 'Job').map((object) => ({
      object,
      pod: object.spec.template,
      container: containerOf(object),
    }));
  const deployments = () => workloads().filter(({ object }) => object.kind === 'Deployment');
  const dataOf = (kind: string, name: string): Record<string, string> | undefined => {
    const found = ofKind(kind).find(({ metadata }) => metadata.name === name);
    const data = (found?.data ?? {}) as Record<string, string>;
    if (kind === 'ConfigMap') return found && data;
    if (!found) return OPERATORS_SECRETS[name as keyof typeof OPERATORS_SECRETS];
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, atob(value)]));
  };
  const sourcesOf = (container: KubernetesObject) =>
    (container.envFrom as { configMapRef?: { name: string }; secretRef?: { name: string } }[]).map((from) =>
      from.configMapRef ? ['ConfigMap', from.configMapRef.name] : ['Secret', from.secretRef!.name],
    );
  const environmentOf = (container: KubernetesObject): Record<string, string> =>
    Object.assign({}, ...sourcesOf(container).map(([kind, name]) => dataOf(kind!, name!))) as Record<
      string,
      string
    >;

  it('match the published schemas', () => {
    expect(objects.length).toBeGreaterThan(10);
    expect(objects.flatMap(schemaFaults)).toEqual([]);
  });

  it('have no field that Kubernetes would ignore', () => {
    expect(unknownFields(objects)).toEqual([]);
  });

  it('start only programs that the image has', () => {
    const started = workloads().map(({ container }) => container.args as string[]);
    expect(started.every(([program]) => programs.has(program!))).toBe(true);
    expect(started.map(([program]) => program).sort()).toEqual(['api', 'migrate', 'worker']);
  });

  it('give each program settings that it knows, and with which it starts', () => {
    for (const { container } of deployments()) {
      const env = environmentOf(container);
      expect(Object.keys(env).filter((name) => !settings.has(name))).toEqual([]);
      expect(faultsOf(env)).toEqual([]);
    }
  });

  it("give the credentials of the tables' owner to the migration alone", () => {
    for (const { object, container } of workloads())
      expect([object.kind, MIGRATION_SETTING in environmentOf(container)]).toEqual([
        object.kind,
        object.kind === 'Job',
      ]);
  });

  it('have no settings that no program reads', () => {
    const read = workloads().flatMap(({ container }) => sourcesOf(container).map(([, name]) => name));
    const made = ofKind('ConfigMap', 'Secret').map(({ metadata }) => metadata.name as string);
    expect(made.filter((name) => !read.includes(name))).toEqual([]);
  });

  it('probe paths that answer, on the port of each program', () => {
    for (const { container } of deployments()) {
      const ports = portsOf(container);
      const env = environmentOf(container);
      const port = Number(container.name === 'api' ? env.PORT : env.WORKER_PORT);
      const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(
        (name) => container[name].httpGet,
      );
      for (const { path } of probes) expect(probeRoutes).toContain(path);
      for (const probe of probes) expect(ports.get(probe.port as string)).toBe(port);
      expect(probes.map(({ path }) => path as string)).toEqual([
        '/health/live',
        '/health/live',
        '/health/ready',
      ]);
    }
  });

  it('give Prometheus a path that answers, on the port that serves it', () => {
    for (const { pod, container } of deployments()) {
      const { 'prometheus.io/path': path, 'prometheus.io/port': port } = pod.metadata.annotations;
      const env = environmentOf(container);
      expect(probeRoutes).toContain(path);
      expect(port).toBe(container.name === 'api' ? env.ADMIN_PORT : env.WORKER_PORT);
      expect([...portsOf(container).values()]).toContain(Number(port));
    }
  });

  it('give each program the time that it needs to stop', () => {
    for (const { pod, container } of deployments()) {
      const drainMs = Number(environmentOf(container).SHUTDOWN_TIMEOUT_MS ?? defaults.SHUTDOWN_TIMEOUT_MS);
      const [, pauseSeconds = '0'] = (container.lifecycle?.preStop.exec.command ?? []) as string[];
      const graceMs = Number(pod.spec.terminationGracePeriodSeconds) * 1000;
      expect(graceMs).toBeGreaterThan(Number(pauseSeconds) * 1000 + drainMs);
    }
  });

  it('let no program be root, write to its files, gain rights or talk to the cluster', () => {
    for (const { pod, container } of workloads()) {
      expect(pod.spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.resources).toMatchObject({
        requests: { memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
    }
  });

  it('select, scale and protect only objects that exist', () => {
    const pods = [...workloads(), ...ofKind('StatefulSet').map((object) => ({ pod: object.spec.template }))];
    const selected = (labels: Record<string, string>) =>
      pods.filter(({ pod }) =>
        Object.entries(labels).every(([name, value]) => pod.metadata.labels[name] === value),
      );
    const selectors = [
      ...ofKind('Service').map(({ spec }) => spec.selector),
      ...ofKind('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels),
      ...ofKind('NetworkPolicy').map(({ spec }) => spec.podSelector.matchLabels),
    ] as Record<string, string>[];
    for (const selector of selectors)
      expect([selector, selected(selector).length > 0]).toEqual([selector, true]);
    const names = deployments().map(({ object }) => object.metadata.name as string);
    const scaled = ofKind('HorizontalPodAutoscaler').map(({ spec }) => spec.scaleTargetRef.name as string);
    expect(scaled.sort()).toEqual(names.sort());
  });

  it('open only ports that exist, in services and in network policies', () => {
    const open = new Set(deployments().flatMap(({ container }) => [...portsOf(container).keys()]));
    const ours = ofKind('Service').filter(({ metadata }) => metadata.name.startsWith('hongbao'));
    const targets = ours.flatMap(({ spec }) =>
      spec.ports.map((port: { targetPort: string }) => port.targetPort),
    );
    const ingress = ofKind('NetworkPolicy').flatMap(({ spec }) => spec.ingress ?? []);
    const allowed = ingress.flatMap((rule) => rule.ports.map((port: { port: string }) => port.port));
    expect([...targets, ...allowed].filter((port) => !open.has(port as string))).toEqual([]);
  });

  it('use no secret that production would accept', () => {
    const secrets = ofKind('Secret').map(({ metadata }) => dataOf('Secret', metadata.name as string)!);
    if (overlay === 'production') return expect(secrets).toEqual([]);
    expect(secrets.some((secret) => secret.JWT_SECRET === sampleSecret)).toBe(true);
    const [api] = deployments();
    expect(faultsOf({ ...environmentOf(api!.container), NODE_ENV: 'production' })).toEqual([
      expect.stringContaining('JWT_SECRET'),
    ]);
  });
});

it('the production manifests run the image of this version', () => {
  const { version } = JSON.parse(textOf('package.json')) as { version: string };
  const { images } = parse(
    textOf('deploy', 'kubernetes', 'overlays', 'production', 'kustomization.yaml'),
  ) as {
    images: { name: string; newTag: string }[];
  };
  expect(images).toEqual([expect.objectContaining({ name: 'hongbao', newTag: version })]);
});

describe('autoscaling by the age of unpaid claims', () => {
  const declared = sourcesBelow('src').join('\n');
  const adapter = parse(textOf('deploy', 'kubernetes', 'prometheus-adapter.yaml')) as {
    rules: { external: { seriesQuery: string }[] };
  };
  const served = adapter.rules.external.map(({ seriesQuery }) => /__name__="(\w+)"/.exec(seriesQuery)![1]!);

  it('uses a metric that the worker declares', () => {
    expect(served.filter((metric) => !declared.includes(`name: '${metric}'`))).toEqual([]);
  });

  it('uses a metric that the adapter serves', () => {
    const [, asked] = /external:\s+metric:\s+name: (\w+)/.exec(
      textOf('deploy', 'kubernetes', 'base', 'worker.yaml'),
    )!;
    expect(served).toContain(asked);
  });
});

function containerOf({ spec }: KubernetesObject): KubernetesObject {
  return spec.template.spec.containers[0] as KubernetesObject;
}

function portsOf(container: KubernetesObject): Map<string, number> {
  const ports = container.ports as { name: string; containerPort: number }[];
  return new Map(ports.map(({ name, containerPort }) => [name, containerPort]));
}

function sourcesBelow(directory: string): string[] {
  const entries = readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' });
  return entries.filter((name) => name.endsWith('.ts')).map((name) => textOf(directory, name));
}
