import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { parse } from 'yaml';
import { root, textOf } from './programs';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Record<string, string>;
  readonly with?: Record<string, unknown>;
}

interface Job {
  readonly needs?: string | string[];
  readonly permissions?: Record<string, string>;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions: Record<string, string>;
  readonly jobs: Record<string, Job>;
}

const WORKFLOWS = join('.github', 'workflows');
const files = readdirSync(join(root, WORKFLOWS));
const workflowOf = (file: string) => parse(textOf(WORKFLOWS, file)) as Workflow;
const release = workflowOf('release.yml').jobs;
const linesOf = ({ steps }: Job) => steps.flatMap(({ run }) => run?.split('\n') ?? []);

const { scripts, version, engines, devDependencies } = JSON.parse(textOf('package.json')) as {
  scripts: Record<string, string>;
  engines: { node: string };
  devDependencies: Record<string, string>;
  version: string;
};
const launched = JSON.parse(textOf('src', 'dev', 'launcher', 'node', 'package.json')) as {
  optionalDependencies: Record<string, string>;
};
const ofTheImage = /^ARG BASE=node:([\d.]+)-/m.exec(textOf('deploy', 'image', 'Dockerfile'))![1];

describe.each(files)('.github/workflows/%s', (file) => {
  const content = textOf(WORKFLOWS, file);
  const workflow = workflowOf(file);
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  it('is a workflow in which the parser of its forge finds no fault, including expressions', async () => {
    const { context, value } = parseWorkflow({ name: file, content }, new NoOperationTraceWriter());
    const { errors = [] } = await convertWorkflowTemplate(context, value!);
    expect(errors.map(({ Message }) => Message)).toEqual([]);
  });

  it('runs each action at one commit, with its version next to it', () => {
    const uses = content.match(/uses: .+/g)!;
    expect(uses).toHaveLength(steps.filter((step) => step.uses).length);
    expect(uses.filter((line) => !/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it('may read the files, and grants a job more only explicitly', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
  });

  it('limits the time of each job', () => {
    expect(jobs.filter((job) => !(job['timeout-minutes']! > 0))).toEqual([]);
  });

  it('passes external text to commands only as variables', () => {
    const expressions = steps.flatMap(({ run = '' }) => run.match(/\$\{\{.*?\}\}/g) ?? []);
    expect(expressions.filter((expression) => !/github\.event_name == '/.test(expression))).toEqual([]);
  });

  it('runs npm scripts and files that exist', () => {
    const lines = jobs.flatMap(linesOf);
    const named = lines.flatMap((line) => /\bnpm run (?:--silent )?([\w:]+)/.exec(line)?.[1] ?? []);
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
    const started = lines.flatMap((line) => /^\.?[\w/]*\/[\w.-]+/.exec(line)?.[0] ?? []);
    expect(started.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

it('CI decides by .ci/run, the only command that a contributor has to run', () => {
  expect(linesOf(workflowOf('ci.yml').jobs.check!).map((line) => line.split(' ')[0])).toEqual(['.ci/run']);
});

describe('the release workflow', () => {
  const needsOf = (name: string): string[] => [release[name]!.needs ?? []].flat();
  const uses = (name: string, action: string) =>
    release[name]!.steps.filter((step) => step.uses?.startsWith(`${action}@`));

  it('publishes nothing before every check has passed', () => {
    expect(linesOf(release.check!)).toContain('.ci/run --all');
    for (const name of ['image', 'packages']) expect(needsOf(name)).toEqual(['check', 'pack']);
    expect(needsOf('publish')).toEqual(['image', 'packages']);
    const writing = Object.entries(release).filter(([, { permissions = {} }]) =>
      ['contents', 'packages'].some((area) => permissions[area] === 'write'),
    );
    expect(writing.map(([name]) => name)).toEqual(['image', 'publish']);
  });

  it('signs the archive, the npm packages, the image and the chart, and says what each contains', () => {
    expect(uses('pack', 'actions/attest')).toHaveLength(1);
    const [provenance, parts, chart] = uses('image', 'actions/attest');
    expect(provenance!.with).not.toHaveProperty('sbom-path');
    expect(parts!.with).toHaveProperty('sbom-path');
    expect(chart!.with).toHaveProperty('subject-name', '${{ steps.chart.outputs.name }}');
    expect(linesOf(release.packages!).join()).toMatch(/npm publish .* --provenance --access public/);
    expect(release.packages!.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  });

  it('builds the image of the Dockerfile for both processors, with its version', () => {
    const [build] = uses('image', 'docker/build-push-action');
    const { file, platforms, 'build-args': args } = build!.with as Record<string, string>;
    expect(existsSync(join(root, file!))).toBe(true);
    expect(platforms).toBe('linux/amd64,linux/arm64');
    const known = Array.from(textOf(file!).matchAll(/^ARG (\w+)/gm), ([, name]) => name);
    const given = Array.from(args!.matchAll(/^(\w+)=/gm), ([, name]) => name);
    expect(given).toEqual(['VERSION', 'REVISION']);
    expect(known).toEqual(expect.arrayContaining(given));
  });
});

/** The commit of a release names it before it is tagged; then nothing is above it. */
it('The changelog calls only tagged versions released, except for the release in progress', () => {
  const tags = execFileSync('git', ['tag'], { cwd: root, encoding: 'utf8' }).split('\n');
  const [, unreleased = '', ...sections] = textOf('CHANGELOG.md').split(/^## /m);
  expect(unreleased).toMatch(/^\[Unreleased\]\n/);
  const released = sections.map((section) => /^\[(.+)\] - \d{4}-\d{2}-\d{2}\n/.exec(section)![1]!);
  const untagged = released.filter((name) => !tags.includes(`v${name}`));
  const isBeingMade = unreleased.trim() === '[Unreleased]';
  expect(untagged).toEqual(isBeingMade ? [version] : []);
});

describe('people who contribute', () => {
  it.each(readdirSync(join(root, '.github', 'ISSUE_TEMPLATE')).filter((file) => file !== 'config.yml'))(
    'can fill in %s',
    (file) => {
      const form = parse(textOf('.github', 'ISSUE_TEMPLATE', file)) as {
        name: string;
        description: string;
        body: { type: string; id?: string; attributes: Record<string, unknown> }[];
      };
      expect([form.name, form.description]).toEqual([expect.any(String), expect.any(String)]);
      const asked = form.body.filter(({ type }) => type !== 'markdown');
      expect(asked.length).toBeGreaterThan(0);
      expect(new Set(asked.map(({ id }) => id)).size).toBe(asked.length);
      for (const { type, attributes } of form.body)
        expect([type, attributes]).toEqual([
          expect.stringMatching(/^(markdown|input|textarea|dropdown|checkboxes)$/),
          expect.objectContaining({ [type === 'markdown' ? 'value' : 'label']: expect.any(String) }),
        ]);
    },
  );

  it('are reviewed by the owners of files that exist', () => {
    const rules = textOf('.github', 'CODEOWNERS')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const [everything, ...paths] = rules.map((rule) => rule.split(' ')[0]!);
    expect(everything).toBe('*');
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(rules.filter((rule) => !/^\S+( @[\w-]+\/[\w-]+)+$/.test(rule))).toEqual([]);
  });

  it('work with the Node of the image, even in a container', () => {
    expect(textOf('.nvmrc').trim()).toBe(ofTheImage);
    const packages = Object.values(launched.optionalDependencies);
    expect(packages).toEqual(packages.map(() => ofTheImage));
    const { build, postCreateCommand, forwardPorts } = JSON.parse(
      textOf('.devcontainer', 'devcontainer.json'),
    ) as { build: { dockerfile: string }; postCreateCommand: string; forwardPorts: number[] };
    expect(textOf('.devcontainer', build.dockerfile)).toContain(`\nFROM node:${ofTheImage}-bookworm\n`);
    expect(postCreateCommand).toBe('npm ci');
    expect(textOf('.env.example')).toMatch(new RegExp(`^#? ?PORT=${forwardPorts[0]}$`, 'm'));
  });

  it('and people who install read the oldest Node of package.json, for which everything is compiled', () => {
    const [floor] = /\d+\.\d+/.exec(engines.node)!;
    const readmes = ['', 'deploy/archive/'].flatMap((at) => [`${at}README.md`, `${at}README.zh-CN.md`]);
    for (const page of [...readmes, 'CONTRIBUTING.md', 'libs/client/README.md', 'docs/commands.md'])
      expect([page, /Node[^.\n]*?\b(\d\d\.\d+)/.exec(textOf(page))?.[1]]).toEqual([page, floor]);
    expect(textOf('deploy', 'packaged.mjs')).toContain(`target: 'node${floor}'`);
    expect(devDependencies['@types/node']!.split('.')[0]).toBe(floor.split('.')[0]);
  });

  it('can cite the project without a version, which is only in package.json', () => {
    const citation = parse(textOf('CITATION.cff')) as Record<string, unknown>;
    expect(citation).toMatchObject({
      'cff-version': '1.2.0',
      title: 'Hongbao',
      type: 'software',
      license: 'MIT',
      authors: [{ name: expect.any(String) }],
    });
    expect(citation).not.toHaveProperty('version');
  });
});
