import { SECRETS } from '../../libs/environment';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const root = resolve(__dirname, '..', '..');
const pages = [
  'README.md',
  'README.zh-CN.md',
  'CHANGELOG.md',
  'CODE_OF_CONDUCT.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'examples/README.md',
  ...markdownBelow('docs'),
];

function markdownBelow(directory: string): string[] {
  return readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return markdownBelow(path);
    return path.endsWith('.md') ? [path] : [];
  });
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** Fenced code is not read for links and names. */
function proseOf(page: string): string {
  return read(page).replace(/^```[\s\S]*?^```$/gm, '');
}

function linksOf(page: string): string[] {
  return Array.from(proseOf(page).matchAll(/\]\(([^)\s]+)\)/g), (link) => link[1]!);
}

/** Returns the anchors that GitHub gives to the headings of a page. */
function anchorsOf(page: string): string[] {
  return Array.from(proseOf(page).matchAll(/^#+ (.+)$/gm), (heading) =>
    heading[1]!
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

function isBroken(page: string, link: string): boolean {
  if (/^https?:/.test(link)) return false;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : relative(root, resolve(root, dirname(page), path));
  if (!existsSync(join(root, target))) return true;
  return anchor !== undefined && !anchorsOf(target).includes(anchor);
}

/** `PORT` and `GRAB_ACK=redis` are settings; capitals in code mean nothing else on these pages. */
function settingsIn(page: string): string[] {
  return Array.from(proseOf(page).matchAll(/`([A-Z][A-Z0-9_]+)(?:=[^`]*)?`/g), (setting) => setting[1]!);
}

function scriptsIn(page: string): string[] {
  const runs = read(page).matchAll(/\bnpm (?:run (?:--silent )?([a-z:]+)|(start|test))\b/g);
  return Array.from(runs, (run) => run[1] ?? run[2]!);
}

const settings = ['.env.example', 'deploy/compose/.env.example'].flatMap((file) =>
  Array.from(read(file).matchAll(/^#? ?([A-Z_]+)=/gm), (line) => line[1]!),
);
const commandSettings = [
  'LOCAL_DIR',
  'MIGRATION_DATABASE_URL',
  'MIGRATION_DATABASE_PASSWORD',
  'HONGBAO_URL',
  'HONGBAO_TOKEN',
  'PICTURES',
  'OUTSIDER_ATTEMPTS',
  'OUTSIDER_SEED',
  // Read by Node and by the exporter of traces.
  'NODE_EXTRA_CA_CERTS',
  'OTEL_EXPORTER_OTLP_HEADERS',
  // Read by the workflow of a release.
  'REGISTRY',
  // Said to have no effect.
  'HTTPS_PROXY',
];
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** Files that a page names without a link, such as `kinds.ts`, but neither patterns nor names that a reader chooses. */
function filesNamedIn(page: string): string[] {
  const names = proseOf(page).matchAll(/`([\w./-]+\.(?:ts|tsx|mjs|js|lua|sql|json))`/g);
  return Array.from(names, (name) => name[1]!);
}

const sources = ['src', 'libs', 'migrations', 'test', 'deploy'].flatMap((directory) =>
  readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' }).map(
    (file) => `/${directory}/${file}`,
  ),
);

describe.each(pages)('%s', (page) => {
  it('links only to what exists', () => {
    expect(linksOf(page).filter((link) => isBroken(page, link))).toEqual([]);
  });

  it('names only npm scripts that exist', () => {
    expect(scriptsIn(page).filter((script) => !(script in scripts))).toEqual([]);
  });

  it('names only settings that exist', () => {
    const known = [...settings, ...commandSettings, ...SECRETS.map((name) => `${name}_FILE`)];
    expect(settingsIn(page).filter((setting) => !known.includes(setting))).toEqual([]);
  });
});

it('docs/commands.md lists every npm script', () => {
  const listed = scriptsIn('docs/commands.md');
  expect(Object.keys(scripts).filter((script) => !listed.includes(script))).toEqual([]);
});

it.each(['CONTRIBUTING.md', 'docs/recipes.md', 'docs/code-tour.md'])(
  '%s names only files that exist',
  (page) => {
    const known = [...sources, ...readdirSync(root).map((file) => `/${file}`)];
    const lost = filesNamedIn(page).filter((name) => !known.some((file) => file.endsWith(`/${name}`)));
    expect(lost).toEqual([]);
  },
);
