import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  installKubernetesTools,
  type KubernetesObject,
  lintChart,
  renderChart,
  renderOverlay,
} from './kubernetes';
import { schemaFaults, unknownFields } from './kubernetes-schemas';
import { RULES_FILE } from '../alerts/deployed';
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
  'hongbao-owner': {
    [MIGRATION_SETTING]: 'postgres://hongbao:secret@db.internal:5432/hongbao',
    ERASURE_KEY: Buffer.alloc(32, 7).toString('base64'),
  },
} as const;

/** The example in the docs, which matches the production overlay plus one setting. */
const DOCUMENTED = parse(
  /^### Helm\n[\s\S]*?^```yaml\n([\s\S]*?)^```$/m.exec(textOf('docs', 'deployment.md'))![1]!,
) as { readonly image: object; readonly route: object; readonly settings: object };
const { settings: _settings, ...PRODUCTION } = DOCUMENTED;

beforeAll(installKubernetesTools, 120_000);

describe.each<[string, boolean, () => KubernetesObject[]]>([
  ['the development overlay', false, () => renderOverlay('development')],
  ['the production overlay', true, () => renderOverlay('production')],
  ['the chart', true, () => renderChart(DOCUMENTED)],
])('the objects of %s', (_, isProduction, render) => {
  let objects: readonly KubernetesObject[];

  beforeAll(() => {
    objects = render();
  });

  const ofKind = (...kinds: string[]) => objects.filter(({ kind }) => kinds.includes(kind));
  const workloads = () =>
    ofKind('Deployment', 'Job', 'CronJob').map((object) => {
      const pod = (object.spec.jobTemplate?.spec ?? object.spec).template as KubernetesObject;
      return { object, pod, container: pod.spec.containers[0] as KubernetesObject };
    });
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
  const environmentOf = (container: KubernetesObject): Record<string, string> => {
    const own = ((container.env ?? []) as { name: string; value: string }[]).map(({ name, value }) => ({
      [name]: value,
    }));
    return Object.assign(
      {},
      ...sourcesOf(container).map(([kind, name]) => dataOf(kind!, name!)),
      ...own,
    ) as Record<string, string>;
  };
  /** Kinds of the Prometheus operator do not have published types here. */
  const ofKubernetes = () =>
    objects.filter(({ apiVersion }) => !String(apiVersion).startsWith('monitoring.'));

  it('match the published schemas', () => {
    expect(objects.length).toBeGreaterThan(10);
    expect(schemaFaults(ofKubernetes())).toEqual([]);
  });

  it('have no field that Kubernetes would ignore', () => {
    expect(unknownFields(ofKubernetes())).toEqual([]);
  });

  it('start only programs that the image has', () => {
    const ours = workloads().filter(({ container }) => /^(.+\/)?hongbao:/.test(container.image as string));
    const started = ours.map(({ container }) => (container.args as string[])[0]!);
    expect(started.every((program) => programs.has(program))).toBe(true);
    const nightly = isProduction ? ['archive', 'erasure', 'verify'] : [];
    expect(started.sort()).toEqual(['api', 'migrate', 'worker', ...nightly].sort());
  });

  it('give each program settings that it knows, and with which it starts', () => {
    for (const { container } of deployments()) {
      const env = environmentOf(container);
      expect(Object.keys(env).filter((name) => !settings.has(name))).toEqual([]);
      expect(faultsOf(env)).toEqual([]);
    }
  });

  it("do not give the credentials of the tables' owner to a program that serves", () => {
    const owners = workloads().filter(({ container }) => MIGRATION_SETTING in environmentOf(container));
    const nightly = isProduction ? ['hongbao-archive', 'hongbao-backup', 'hongbao-erasure'] : [];
    const names = owners.map(({ object }) => (object.metadata.name as string).replace(/-1$/, ''));
    expect(names.sort()).toEqual([...nightly, 'hongbao-migration']);
  });

  it('give each nightly job settings with which it starts, and apply the network policies to it', () => {
    for (const { object, pod, container } of workloads().filter(({ object }) => object.kind === 'CronJob')) {
      const { [MIGRATION_SETTING]: _owners, ...env } = environmentOf(container);
      if (env.DATABASE_URL !== undefined) expect(faultsOf(env)).toEqual([]);
      expect(pod.metadata.labels).toMatchObject({ 'app.kubernetes.io/part-of': 'hongbao' });
      expect(object.spec).toMatchObject({ concurrencyPolicy: 'Forbid' });
    }
  });

  it('let traces reach the port of a collector', () => {
    const egress = ofKind('NetworkPolicy').flatMap(
      ({ spec }) => spec.egress as { ports?: { port: number }[] }[],
    );
    expect(egress.flatMap(({ ports = [] }) => ports.map(({ port }) => port))).toContain(4318);
  });

  it('have only settings that a program reads', () => {
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
    if (isProduction) return expect(secrets).toEqual([]);
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
  ) as { images: { name: string; newTag: string }[] };
  expect(images).toEqual([expect.objectContaining({ name: 'hongbao', newTag: version })]);
});

describe('the components of production', () => {
  const objects = () => renderOverlay('production');
  const named = (kind: string) => objects().filter((object) => object.kind === kind);

  it('scrape every program at a port that serves metrics, under the job that the rules know', () => {
    const pods = named('Deployment').map(({ spec }) => spec.template as KubernetesObject);
    const monitors = named('PodMonitor');
    expect(monitors).toHaveLength(2);
    for (const { metadata, spec } of monitors) {
      const [endpoint] = spec.podMetricsEndpoints as { port: string; path: string; relabelings: object[] }[];
      const name = spec.selector.matchLabels['app.kubernetes.io/name'] as string;
      const pod = pods.find(({ metadata: { labels } }) => labels['app.kubernetes.io/name'] === name)!;
      const ports = portsOf(pod.spec.containers[0] as KubernetesObject);
      expect(String(ports.get(endpoint!.port))).toBe(pod.metadata.annotations['prometheus.io/port']);
      expect(probeRoutes).toContain(endpoint!.path);
      expect(endpoint!.relabelings).toEqual([{ targetLabel: 'job', replacement: metadata.name }]);
    }
  });

  it('have the same rules as Compose (otherwise run: node deploy/prometheus/operator-rule.mjs)', () => {
    expect(named('PrometheusRule').map(({ spec }) => spec as object)).toEqual([
      parse(readFileSync(RULES_FILE, 'utf8')),
    ]);
  });

  it('send clients to the API, and never to the pages for operators', () => {
    const [route, ...others] = named('HTTPRoute');
    const [{ backendRefs, timeouts }] = route!.spec.rules as [{ backendRefs: object[]; timeouts: object }];
    expect(others).toEqual([]);
    expect(backendRefs).toEqual([{ name: 'hongbao-api', port: 80 }]);
    const api = named('Service').find(({ metadata }) => metadata.name === 'hongbao-api')!;
    expect(api.spec.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }]);
    expect(timeouts).toEqual({ request: '0s', backendRequest: '0s' });
  });
});

describe('the chart', () => {
  /** An object without the parts that only Kustomize or only Helm writes, such as a hash of the settings. */
  const inCommon = (object: KubernetesObject) => {
    const { namespace: _namespace, labels = {}, ...metadata } = object.metadata as Record<string, object>;
    const {
      'app.kubernetes.io/managed-by': _by,
      'helm.sh/chart': _chart,
      ...own
    } = labels as object & { [label: string]: string };
    const annotations = object.spec?.template?.metadata?.annotations as Record<string, string> | undefined;
    delete annotations?.['hongbao/settings'];
    const text = JSON.stringify({ ...object, metadata: { ...metadata, labels: own } })
      .replace(/hongbao-settings-\w+/g, 'hongbao-settings')
      .replace('"hongbao-migration-1"', '"hongbao-migration"');
    const common = JSON.parse(text) as KubernetesObject;
    return [`${common.kind}/${common.metadata.name as string}`, common] as const;
  };

  it('deploys what Kustomize deploys, to the last field', () => {
    const overlay = renderOverlay('production').filter(({ kind }) => kind !== 'Namespace');
    const chart = renderChart(PRODUCTION);
    expect(Object.fromEntries(chart.map(inCommon))).toEqual(Object.fromEntries(overlay.map(inCommon)));
    expect(chart).toHaveLength(overlay.length);
  });

  it('passes the linter of Helm', () => {
    expect(lintChart(PRODUCTION)).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  it('needs only the name of an image, and then has neither a route nor objects for the operators of a cluster', () => {
    const objects = renderChart({ image: { repository: 'registry.example/hongbao' } });
    const kinds = objects.map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['Deployment', 'Job', 'NetworkPolicy', 'ConfigMap']));
    expect(kinds.filter((kind) => /Route|Pod?Monitor|PrometheusRule|CronJob|Claim/.test(kind))).toEqual([]);
  });

  it('replaces pods when a setting changes, and gives the job of each revision a name of its own', () => {
    const rendered = (settings: object, ...options: string[]) => {
      const objects = renderChart({ ...PRODUCTION, settings }, ...options);
      const [api] = objects.filter(({ kind }) => kind === 'Deployment');
      const map = objects.find(({ kind }) => kind === 'ConfigMap')!;
      const job = objects.find(({ kind }) => kind === 'Job')!;
      const { annotations } = api!.spec.template.metadata as { annotations: Record<string, string> };
      return {
        settings: map.data as object,
        hash: annotations['hongbao/settings'],
        job: job.metadata.name as string,
      };
    };
    const first = rendered({});
    const second = rendered({ CONFIRM_WAIT_MAX_MS: 2000000, SHUTDOWN_TIMEOUT_MS: '9000' }, '--is-upgrade');
    expect(first.settings).toMatchObject({ NODE_ENV: 'production', SHUTDOWN_TIMEOUT_MS: '8000' });
    expect(second.settings).toMatchObject({ CONFIRM_WAIT_MAX_MS: '2000000', SHUTDOWN_TIMEOUT_MS: '9000' });
    expect(second.hash).not.toBe(first.hash);
    expect(first.job).toBe('hongbao-migration-1');
  });

  it('runs an image by its digest, pulled with the secrets that are named', () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const objects = renderChart({ image: { ...PRODUCTION.image, digest }, pullSecrets: ['mine'] });
    const pods = objects
      .filter(({ kind }) => ['Deployment', 'Job'].includes(kind))
      .map(({ spec }) => spec.template.spec as { imagePullSecrets: object; containers: { image: string }[] });
    expect(pods).toHaveLength(3);
    for (const { imagePullSecrets, containers } of pods) {
      expect(imagePullSecrets).toEqual([{ name: 'mine' }]);
      expect(containers.map(({ image }) => image)).toEqual([`registry.example/hongbao@${digest}`]);
    }
  });

  it('merges overrides into the object that they name', () => {
    const egress = [{ to: [{ ipBlock: { cidr: '10.1.2.3/32' } }], ports: [{ port: 5432 }] }];
    const objects = renderChart({
      ...PRODUCTION,
      overrides: { 'NetworkPolicy/hongbao': { spec: { egress } } },
    });
    const policy = objects.find(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'hongbao',
    )!;
    expect(policy.spec).toMatchObject({ egress, policyTypes: ['Ingress', 'Egress'] });
  });

  it.each<[string, object, RegExp]>([
    ['no image', {}, /'\/image\/repository'/],
    ['a word that it does not know', { ...PRODUCTION, replicas: 3 }, /'replicas'/],
    ['a setting in small letters', { ...PRODUCTION, settings: { port: 80 } }, /'port'/],
    [
      'a route without a host',
      { ...PRODUCTION, route: { ...PRODUCTION.route, hostnames: [] } },
      /'\/route\/hostnames'/,
    ],
    ['a digest of another form', { image: { repository: 'a', digest: 'sha256:12' } }, /'\/image\/digest'/],
    ['no pod at all', { ...PRODUCTION, worker: { minReplicas: 0 } }, /'\/worker\/minReplicas'/],
    [
      'an override of nothing',
      { ...PRODUCTION, overrides: { 'Deployment/hongbao': {} } },
      /the chart deploys no Deployment\/hongbao/,
    ],
  ])('refuses values with %s, and names what is wrong', (_, values, reason) => {
    expect(() => renderChart(values)).toThrow(reason);
  });
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

function portsOf(container: KubernetesObject): Map<string, number> {
  const ports = container.ports as { name: string; containerPort: number }[];
  return new Map(ports.map(({ name, containerPort }) => [name, containerPort]));
}

function sourcesBelow(directory: string): string[] {
  const entries = readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' });
  return entries.filter((name) => name.endsWith('.ts')).map((name) => textOf(directory, name));
}
