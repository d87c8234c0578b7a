import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = resolve(__dirname, '..', '..');
const site = join(root, '.local', 'site');

const read = (page: string): string => readFileSync(join(site, page), 'utf8');

/** Links within the site, with their anchors. */
const linksOf = (page: string): string[] =>
  Array.from(read(page).matchAll(/<a [^>]*href="(\/[^"]*)"/g), (link) => link[1]!);

function leadsNowhere(link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path.endsWith('/') ? `${path}index.html` : path;
  if (!existsSync(join(site, target))) return true;
  return anchor !== undefined && !read(target).includes(`id="${decodeURIComponent(anchor)}"`);
}

it('The site of the documents is built, and each of its links leads to a page and a heading that exist', async () => {
  await run(process.execPath, [join('deploy', 'docs.mjs')], { cwd: root });
  const pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.html'),
  );
  const guides = ['index', 'integrate', 'night'].flatMap((name) => [
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
