// `node deploy/bundle-web.mjs`, the last third of `npm run build`: writes the pages into dist/web,
// also compressed. Names of assets contain a hash of the content, so browsers keep them for ever.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const SOURCES = path.join(ROOT, 'src', 'web');
const CLIENT = path.join(ROOT, 'libs', 'client');
const TARGET = path.join(ROOT, 'dist', 'web');
/** Pages of players, who come at once and over slow networks. */
const LIGHT = ['rain', 'people'];
const PAGES = [...LIGHT, 'console'];
/** Sources that may name an operation. */
const NAMING = /(?<!\.spec|named-operations|(?<!\w)api)\.tsx?$/;
/** Modules that pages import when they are wanted, by their names in `/assets`. */
const CHECK = 'check-proof';
const CHINESE = 'chinese';
/** A script that runs before the one of its page. */
const EARLY = 'early';
/** The script that keeps a page. Browsers look for a new one at the same address. */
const WORKER = 'rain-worker';

const options = {
  outdir: TARGET,
  bundle: true,
  write: false,
  minify: true,
  format: 'esm',
  target: ['chrome105', 'firefox110', 'safari16'],
  tsconfig: path.join(SOURCES, 'tsconfig.json'),
  charset: 'utf8',
  banner: {
    js: '/* Parts: Preact (preactjs.com), uPlot (github.com/leeoniya/uPlot), lean-qr (github.com/davidje13/lean-qr): MIT; Lucide (lucide.dev): ISC */',
  },
  logLevel: 'warning',
};

const mainsOf = (pages) =>
  Object.fromEntries(pages.map((page) => [page, path.join(SOURCES, page, 'main.tsx')]));

/** The client has a route for each operation. Pages carry those that they name. */
const routesOf = (pages) => ({
  name: 'routes-of',
  setup: async (bundle) => {
    const named = await wordsIn(...[...pages, 'kit'].map((folder) => path.join(SOURCES, folder)), CLIENT);
    bundle.onLoad({ filter: /named-operations\.ts$/ }, async (file) => ({
      contents: (await readFile(file.path, 'utf8')).replace(/^ {2}(\w+): \[.*\],\n/gm, (route, name) =>
        named.has(name) ? route : '',
      ),
      loader: 'ts',
    }));
  },
});

/** All words of these folders, but those of the table of routes itself. */
async function wordsIn(...folders) {
  const words = new Set();
  for (const folder of folders)
    for (const file of (await readdir(folder, { recursive: true })).filter((name) => NAMING.test(name)))
      for (const [word] of (await readFile(path.join(folder, file), 'utf8')).matchAll(/\w+/g))
        words.add(word);
  return words;
}

const light = await build({
  ...options,
  entryPoints: {
    [CHECK]: path.join(SOURCES, 'kit', `${CHECK}.ts`),
    [EARLY]: path.join(SOURCES, 'rain', `${EARLY}.ts`),
    [WORKER]: path.join(SOURCES, 'rain', 'worker.ts'),
    ...mainsOf(LIGHT),
  },
  plugins: [routesOf(LIGHT)],
});
const full = await build({
  ...options,
  entryPoints: { [CHINESE]: path.join(SOURCES, 'console', 'words', 'zh.ts'), ...mainsOf(['console']) },
  plugins: [routesOf(['console'])],
});
const outputFiles = [...light.outputFiles, ...full.outputFiles];

await rm(TARGET, { recursive: true, force: true });
await mkdir(path.join(TARGET, 'assets'), { recursive: true });
const named = new Map();
const withNames = (text) => text.replace(/\/assets\/[\w.-]+/g, (asset) => named.get(asset));
const is =
  (...wanted) =>
  (output) =>
    wanted.includes(path.parse(output.path).name);
const isImported = is(CHECK, CHINESE);
const assets = outputFiles.filter((output) => !is(WORKER)(output));
for (const output of assets.sort((a, b) => isImported(b) - isImported(a))) {
  const { name, ext } = path.parse(output.path);
  const contents = ext === '.js' ? Buffer.from(withNames(output.text)) : output.contents;
  const hashed = `${name}-${createHash('sha256').update(contents).digest('hex').slice(0, 12)}${ext}`;
  named.set(`/assets/${name}${ext}`, `/assets/${hashed}`);
  const target = path.join(TARGET, 'assets', hashed);
  await writeFile(target, contents);
  await writeFile(`${target}.br`, brotliCompressSync(contents));
  await writeFile(`${target}.gz`, gzipSync(contents, { level: 9 }));
}

await writeFile(path.join(TARGET, `${WORKER}.js`), withNames(outputFiles.find(is(WORKER)).text));

for (const page of PAGES) {
  const html = await readFile(path.join(SOURCES, page, `${page}.html`), 'utf8');
  await writeFile(path.join(TARGET, `${page}.html`), withNames(html));
}
