// `node deploy/bundle.mjs`, the second third of `npm run build`: writes the programs that know the engines into one file, with all
// that they import. Node then reads one file instead of 1,800, so a program starts with less than half the work. Each program has a
// file of one line besides, which starts it.
// What has to stay a file of its own is found at run time: Lua, SQL, and the assets of Swagger UI.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const DIST = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'dist');
const SOURCES = path.join(DIST, 'src');
/** Below `src`, and the files that start them below `dist`. */
const PROGRAMS = [
  'main',
  'worker',
  'commands/migrate',
  'commands/archive',
  'commands/verify',
  'commands/shards',
];

/** Packages that ours can use and that are not installed: asking for one fails at run time, as it does without a bundle. */
const NOT_INSTALLED = [
  '@fastify/multipart',
  '@fastify/view',
  '@mikro-orm/core',
  '@nestjs/microservices',
  '@nestjs/microservices/*',
  '@nestjs/mongoose',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  '@nestjs/websockets/*',
  'pg-native',
];

/** Packages that only some installations need are loaded when they are asked for: those that send traces. */
const LOADED_WHEN_NEEDED = [
  '@opentelemetry/context-async-hooks',
  '@opentelemetry/core',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-base',
];

/** A source map that says nothing: stack traces through packages name the bundle, those through our code its sources. */
const NO_MAP =
  '\n//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbIiJdLCJtYXBwaW5ncyI6IkEifQ==';

/** Our modules read files beside themselves, and go on doing so from within the bundle; a program is started again by its own file. */
function ours(text, file) {
  const directory = `require('node:path').join(__dirname, ${JSON.stringify(path.relative(DIST, path.dirname(file)))})`;
  const ownFile = `require('node:path').join(__dirname, ${JSON.stringify(path.relative(SOURCES, file))})`;
  return text.replaceAll('__dirname', directory).replaceAll('__filename', ownFile);
}

/** A module that asks for `typeorm` by a `require` of its own would load it a second time, from its package. */
const theirs = (text) => text.replace(/^const require = createRequire\(import\.meta\.url\);$/m, '') + NO_MAP;

const modules = {
  name: 'modules',
  setup({ onLoad }) {
    onLoad({ filter: /\.[cm]?js$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      const isOurs = !file.includes(`${path.sep}node_modules${path.sep}`);
      return { contents: isOurs ? ours(text, file) : theirs(text) };
    });
  },
};

await build({
  stdin: {
    contents: PROGRAMS.map((name) => `exports['${name}'] = () => require('./src/${name}.js');`).join('\n'),
    resolveDir: DIST,
  },
  outfile: path.join(DIST, 'programs.js'),
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // Nest, TypeORM and our metrics go by the names of classes.
  keepNames: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'eof',
  banner: { js: `const __moduleUrl = require('node:url').pathToFileURL(__filename).href;` },
  define: { 'import.meta.url': '__moduleUrl' },
  alias: { 'class-transformer/storage': 'class-transformer/cjs/storage' },
  external: [...NOT_INSTALLED, ...LOADED_WHEN_NEEDED, 'swagger-ui-dist/*', '@bull-board/ui/*', '*.node'],
  plugins: [modules],
  logLevel: 'warning',
});

for (const name of PROGRAMS) {
  const file = path.join(DIST, `${name}.js`);
  const bundle = name.includes('/') ? '../programs.js' : './programs.js';
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `require('${bundle}')['${name}']();\n`);
}
