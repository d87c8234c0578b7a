// The site of these documents, which `npm run docs` builds. The pages are those that a code host
// shows: their links are written for the repository, and become links of the site here.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

const LOCAL = path.join(ROOT, '.local');
/** deploy/docs.mjs installs them. They are not above the pages, so pages do not find them by themselves. */
const PACKAGES = path.join(LOCAL, 'engines', 'vitepress');

const SITE = path.join(LOCAL, 'site');
/** Where a web server has the site. */
const BASE = process.env.SITE_BASE ?? '/';

/** Where a code host shows the files of this version; without it, links to code are text. */
const SOURCE_URL = process.env.SOURCE_URL;

/** Pages whose place is not the one that they have in the repository. */
const PLACES = {
  'docs/home.md': 'index.md',
  'docs/zh/home.md': 'zh/index.md',
  'README.md': 'readme.md',
  'README.zh-CN.md': 'zh/readme.md',
};

/** The files of these are on the site, as text: web servers do not know what most of them are. */
const EXAMPLES = 'examples';

const markdownBelow = (folder) =>
  fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => path.posix.join(folder, name));

/** The file of each page in the repository, and its place on the site. */
const pages = {
  'CHANGELOG.md': 'changelog.md',
  'CODE_OF_CONDUCT.md': 'conduct.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'reporting.md',
  'libs/client/README.md': 'client.md',
  'examples/README.md': 'examples.md',
  ...Object.fromEntries(markdownBelow('docs').map((file) => [file, placeOf(file)])),
  ...PLACES,
};

function placeOf(file) {
  return file.slice('docs/'.length).replace(/^README\.md$/, 'pages.md');
}

const linkTo = (file) => `/${pages[file].replace(/(index)?\.md$/, '')}`;

/** Returns undefined for a file that is no page. */
function pageOf(file) {
  if (file in pages) return file;
  return Object.keys(pages).find((page) => path.posix.dirname(page) === file);
}

const foldersWithoutPages = fs
  .readdirSync(ROOT, { withFileTypes: true })
  .filter((found) => found.isDirectory() && !['docs', EXAMPLES, 'libs'].includes(found.name))
  .map(({ name }) => name);

/** A link of the repository as a link of the site; undefined where it leads nowhere. */
function onSite(href, from) {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [target, anchor] = href.split('#');
  const file = path.posix.join(path.posix.dirname(from), target);
  const page = pageOf(file);
  if (page) return linkTo(page) + (anchor ? `#${anchor}` : '');
  if (!fs.existsSync(path.join(ROOT, file)))
    throw new Error(`${from} links to ${href}, which does not exist.`);
  if (isExample(file)) return exampleOnSite(file);
  return SOURCE_URL && `${SOURCE_URL}/${file}`;
}

const isExample = (file) => file.startsWith(`${EXAMPLES}/`);

/** A folder of examples is their page. */
const exampleOnSite = (file) =>
  fs.statSync(path.join(ROOT, file)).isDirectory() ? linkTo(`${EXAMPLES}/README.md`) : `${BASE}${file}.txt`;

function copyAssets() {
  fs.copyFileSync(path.join(ROOT, 'docs', 'favicon.svg'), path.join(SITE, 'favicon.svg'));
  for (const entry of fs.readdirSync(path.join(ROOT, EXAMPLES), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'README.md') continue;
    const file = path.join(entry.parentPath, entry.name);
    const target = path.join(SITE, `${path.relative(ROOT, file)}.txt`);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.copyFileSync(file, target);
  }
}

function rewriteLinks(markdown) {
  markdown.core.ruler.push('links-of-the-repository', ({ tokens, env }) => {
    const from = path.relative(ROOT, env.realPath ?? env.path).replaceAll(path.sep, '/');
    for (const { children } of tokens) if (children) rewriteEach(children, from);
  });
}

function rewriteEach(tokens, from) {
  let isText = false;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const href = onSite(decodeURI(token.attrGet('href')), from);
      isText = href === undefined;
      if (!isText) token.attrSet('href', href);
      // A file is no page, for which the site would look without leaving the one that is open.
      if (href?.endsWith('.txt')) token.attrSet('target', '_blank');
    }
    if (isText && (token.type === 'link_open' || token.type === 'link_close')) {
      token.type = 'text';
      token.tag = '';
      token.content = '';
    }
  }
}

/** Anchors as a code host makes them, which the links of the pages name. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');

/** Chinese has no spaces between its words. The browser gets this function as text, so it stands alone. */
const wordsOf = (text) => {
  const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });
  const pieces = text.split(/[\s\p{Z}\p{P}]+/u).filter((piece) => piece !== '');
  return pieces.flatMap((piece) => Array.from(segmenter.segment(piece), ({ segment }) => segment));
};

const titleOf = (file) => /^# (.+)$/m.exec(fs.readFileSync(path.join(ROOT, file), 'utf8'))[1];

const entry = (file) => ({ text: titleOf(file), link: linkTo(file) });

/** The pages in the groups and the order of their index. */
function sidebar() {
  const [, ...groups] = fs.readFileSync(path.join(ROOT, 'docs', 'README.md'), 'utf8').split(/^## /m);
  const decisions = Object.keys(pages).filter((file) => file.startsWith('docs/decisions/'));
  return [
    { items: [entry('README.md')] },
    ...groups.map(group),
    { text: 'Decisions', collapsed: true, items: decisions.map(entry) },
  ];
}

function group(section) {
  const [text] = section.split('\n');
  const rows = section.matchAll(/^\| \[([^\]]+)\]\(([^)]+\.md)\)/gm);
  const items = Array.from(rows, ([, name, link]) => ({
    text: name[0].toUpperCase() + name.slice(1),
    link: linkTo(path.posix.join('docs', link)),
  }));
  return { text, items };
}

const chineseWords = {
  docFooter: { prev: '上一页', next: '下一页' },
  outline: { label: '本页目录' },
  darkModeSwitchLabel: '外观',
  lightModeSwitchTitle: '切换到浅色',
  darkModeSwitchTitle: '切换到深色',
  sidebarMenuLabel: '目录',
  returnToTopLabel: '回到顶部',
  langMenuLabel: '切换语言',
};

const chineseSearch = {
  button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
  modal: {
    noResultsText: '没有找到',
    resetButtonTitle: '清除',
    displayDetails: '显示详情',
    footer: { selectText: '打开', navigateText: '移动', closeText: '关闭' },
  },
};

export default {
  title: 'Hongbao',
  description: 'A red packet rain backend: Redis dispenses, Postgres confirms, BullMQ settles.',
  base: BASE,
  srcDir: ROOT,
  outDir: SITE,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${BASE}favicon.svg` }]],
  buildEnd: copyAssets,
  cacheDir: path.join(PACKAGES, 'cache'),
  srcExclude: foldersWithoutPages.map((folder) => `${folder}/**`),
  rewrites: pages,
  vite: {
    resolve: {
      alias: Object.fromEntries(
        Object.entries({ 'vue/server-renderer': '@vue/server-renderer', vue: 'vue' }).map(
          ([name, folder]) => [name, path.join(PACKAGES, 'node_modules', folder)],
        ),
      ),
    },
  },
  markdown: { config: rewriteLinks, anchor: { slugify } },
  locales: {
    root: { label: 'English', lang: 'en' },
    zh: {
      label: '中文',
      lang: 'zh-CN',
      description: '红包雨后端：Redis 发红包，Postgres 确认，BullMQ 结算。',
      themeConfig: {
        ...chineseWords,
        sidebar: [
          {
            items: ['README.zh-CN.md', 'docs/zh/integrate.md', 'docs/zh/night.md', 'docs/zh/glossary.md'].map(
              entry,
            ),
          },
          { items: [{ text: '全部页面（英文）', link: '/pages' }] },
        ],
      },
    },
  },
  themeConfig: {
    logo: '/favicon.svg',
    // Most pages are in one language: the menu leads to the home of the other.
    i18nRouting: false,
    sidebar: sidebar(),
    outline: 'deep',
    search: {
      provider: 'local',
      options: {
        locales: { zh: { translations: chineseSearch } },
        miniSearch: { options: { tokenize: wordsOf } },
      },
    },
  },
};
