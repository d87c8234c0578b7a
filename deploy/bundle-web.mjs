// `node deploy/bundle-web.mjs`, the last third of `npm run build`: writes the pages into dist/web,
// also compressed. Names of assets contain a hash of the content, so browsers keep them for ever.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const SOURCES = path.join(ROOT, 'src', 'web');
const CLIENT = path.join(ROOT, 'libs', 'client');
const TARGET = path.join(ROOT, 'dist', 'web');
const ASSETS = path.join(TARGET, 'assets');
/** Sources that may name an operation. */
const NAMING = /(?<!\.spec|named-operations|(?<!\w)api)\.tsx?$/;

const options = {
  absWorkingDir: ROOT,
  outdir: ASSETS,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  write: false,
  metafile: true,
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

/** The client has a route for each operation. A page carries those that it names. */
const routesOf = (page) => ({
  name: 'routes-of',
  setup: async (bundle) => {
    const named = await wordsIn(...[page, 'kit'].map((folder) => path.join(SOURCES, folder)), CLIENT);
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

/** The assets of modules that are built apart: those import no code of the bundles that import them. */
const apart = new Map();

/** Leaves an import of such a module to the browser. A bundle that shared code with it would need a file more. */
const importsApart = {
  name: 'imports-apart',
  setup: (bundling) =>
    bundling.onResolve({ filter: /^\.\.?\// }, ({ kind, path: wanted }) => {
      const asset = kind === 'dynamic-import' && apart.get(path.basename(wanted));
      return asset ? { path: `./${asset}`, external: true } : undefined;
    }),
};

/** Styles that a script imports as text, to adopt them when it is loaded, are in it; all others are files. */
const adoptedStyles = {
  name: 'adopted-styles',
  setup: (bundling) =>
    bundling.onLoad({ filter: /\.css$/ }, async ({ path: file, with: { type } }) => {
      if (type !== 'text') return undefined;
      const { minify, target } = options;
      const { code } = await transform(await readFile(file, 'utf8'), { loader: 'css', minify, target });
      return { contents: code, loader: 'text' };
    }),
};

/** Bundles what begins at a source, and writes the assets. */
async function bundle(name, source, { plugins = [], ...more } = {}) {
  const { outputFiles, metafile } = await build({
    ...options,
    ...more,
    entryPoints: { [name]: source },
    plugins: [importsApart, adoptedStyles, ...plugins],
  });
  for (const { path: target, contents } of outputFiles) {
    await writeFile(target, contents);
    await writeFile(`${target}.br`, brotliCompressSync(contents));
    await writeFile(`${target}.gz`, gzipSync(contents, { level: 9 }));
  }
  const outputs = Object.entries(metafile.outputs);
  const [script, { imports, cssBundle }] = outputs.find(([, { entryPoint }]) => entryPoint === source);
  return {
    script: path.basename(script),
    style: cssBundle && path.basename(cssBundle),
    /** Code that the script shares with what it loads later. */
    shared: imports.filter(({ kind }) => kind === 'import-statement').map((one) => path.basename(one.path)),
    /** What is loaded later, by its name. */
    later: new Map(
      outputs.flatMap(([output, { entryPoint }]) =>
        entryPoint && entryPoint !== source ? [[path.parse(entryPoint).name, path.basename(output)]] : [],
      ),
    ),
  };
}

/** The script of a page that runs first, while the others load. */
const bundleEarly = (page) => bundle('early', `src/web/${page}/early.ts`, { banner: {} });

/** Writes the HTML of a page, in which all files of its first screen are named, so that none waits for another. */
async function writePage(page, { script, style, shared }, early) {
  const named = { [`${page}.js`]: script, [`${page}.css`]: style, 'early.js': early?.script };
  const preloads = shared.map((asset) => `  <link rel="modulepreload" href="/assets/${asset}" />\n  `);
  const html = await readFile(path.join(SOURCES, page, `${page}.html`), 'utf8');
  await writeFile(
    path.join(TARGET, `${page}.html`),
    html
      .replace(/(?<=\/assets\/)[\w.-]+/g, (asset) => named[asset])
      .replace('</head>', () => `${preloads.join('')}</head>`),
  );
}

/** Writes the worker that keeps the page of a rain. Browsers look for a new one at the same address. */
async function writeWorker({ script, style, shared, later }, early) {
  const addresses = (assets) => JSON.stringify(assets.map((asset) => `/assets/${asset}`));
  const { outputFiles } = await build({
    ...options,
    entryPoints: { 'rain-worker': 'src/web/rain/worker.ts' },
    define: {
      FIRST: addresses([early.script, script, style, ...shared]),
      LATER: addresses([...later.values()]),
    },
  });
  await writeFile(path.join(TARGET, 'rain-worker.js'), outputFiles[0].contents);
}

await rm(TARGET, { recursive: true, force: true });
await mkdir(ASSETS, { recursive: true });

const check = await bundle('check-proof', 'src/web/kit/check-proof.ts');
apart.set('check-proof', check.script);

const rain = await bundle('rain', 'src/web/rain/main.tsx', { plugins: [routesOf('rain')] });
const earlyOfRain = await bundleEarly('rain');
await writePage('rain', rain, earlyOfRain);
await writeWorker(rain, earlyOfRain);

await writePage(
  'people',
  await bundle('people', 'src/web/people/main.tsx', { plugins: [routesOf('people')] }),
);

const consolePage = await bundle('console', 'src/web/console/main.tsx', { plugins: [routesOf('console')] });
for (const [name, asset] of consolePage.later) apart.set(name, asset);
await writePage('console', consolePage, await bundleEarly('console'));
