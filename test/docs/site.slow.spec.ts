import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = resolve(__dirname, '..', '..');
const site = join(root, '.local', 'site');

const read = (page: string): string => readFileSync(join(site, page), 'utf8');

/** The site is built for a path below the root of its server: whatever works there works at the root. */
const BASE = '/rain/';

/** Links within the site, with their anchors. */
const linksOf = (page: string): string[] =>
  Array.from(read(page).matchAll(/<a [^>]*href="(\/[^"]*)"/g), (link) => link[1]!);

function leadsNowhere(link: string): boolean {
  const [path = '', anchor] = link.split('#');
  if (!path.startsWith(BASE)) return true;
  const file = path.slice(BASE.length);
  const target = file === '' || file.endsWith('/') ? `${file}index.html` : file;
  if (!existsSync(join(site, target))) return true;
  return anchor !== undefined && !read(target).includes(`id="${decodeURIComponent(anchor)}"`);
}

describe('the site of the documents', () => {
  let pages: string[];

  beforeAll(async () => {
    await run(process.execPath, [join('deploy', 'docs.mjs'), '--base', BASE], { cwd: root });
    const files = readdirSync(site, { recursive: true, encoding: 'utf8' });
    pages = files.filter((name) => name.endsWith('.html'));
  });

  it('has only links to pages, files and headings that exist', () => {
    const guides = ['index', 'readme', 'integrate', 'night', 'glossary'].flatMap((name) => [
      `${name}.html`,
      join('zh', `${name}.html`),
    ]);
    expect(pages).toEqual(expect.arrayContaining(guides));
    const broken = pages.flatMap((page) =>
      linksOf(page)
        .filter(leadsNowhere)
        .map((link) => `${page}: ${link}`),
    );
    expect(broken).toEqual([]);
    expect(
      readdirSync(join(site, 'assets', 'chunks')).some((name) => name.includes('localSearchIndexzh')),
    ).toBe(true);
  });

  it('shows each file of the examples that its pages link to', () => {
    const files = readdirSync(join(root, 'examples'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'README.md')
      .map((entry) => relative(root, join(entry.parentPath, entry.name)));
    const linked = linksOf('examples.html').filter((link) => link.endsWith('.txt'));
    expect(linked.sort()).toEqual(files.map((file) => `${BASE}${file}.txt`).sort());
    for (const file of files) expect(read(`${file}.txt`)).toBe(readFileSync(join(root, file), 'utf8'));
    expect(linksOf('integrate.html')).toContain(`${BASE}examples/backend/server.mjs.txt`);
    expect(linksOf('payouts.html')).toContain(`${BASE}examples/receivers/go/receiver.go.txt`);
  });

  it('has a home page in both languages, and a menu in groups', () => {
    for (const page of ['index.html', join('zh', 'index.html')]) {
      expect(read(page)).toContain('class="VPHome"');
      expect(read(page)).toContain(`<link rel="icon" type="image/svg+xml" href="${BASE}favicon.svg">`);
    }
    const groups = Array.from(readFileSync(join(root, 'docs', 'README.md'), 'utf8').matchAll(/^## (.+)$/gm));
    const menu = read('deployment.html');
    expect(groups.length).toBeGreaterThan(3);
    for (const [, name] of groups) expect(menu).toContain(`>${name}</h2>`);
    expect(existsSync(join(site, 'favicon.svg'))).toBe(true);
  });
});
