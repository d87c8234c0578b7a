// `node deploy/bundle.mjs`, the second third of `npm run build`: writes each program that knows the engines into one file, with
// all that it imports. Node then reads one file instead of 1,800, so a program starts with less than half the work.
// What has to stay a file of its own is found at run time: Lua, SQL, and the assets of Swagger UI.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const DIST = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'dist');

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

/** Our modules read files beside themselves, and go on doing so from within the bundle. */
function ours(text, directory, target) {
  const there = `require('node:path').join(__dirname, ${JSON.stringify(path.relative(target, directory))})`;
  return text.replaceAll('__dirname', there);
}

/** A module that asks for `typeorm` by a `require` of its own would load it a second time, from its package. */
const theirs = (text) => text.replace(/^const require = createRequire\(import\.meta\.url\);$/m, '') + NO_MAP;

const modules = (target) => ({
  name: 'modules',
  setup({ onLoad }) {
    onLoad({ filter: /\.[cm]?js$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      const isOurs = !file.includes(`${path.sep}node_modules${path.sep}`);
      return { contents: isOurs ? ours(text, path.dirname(file), target) : theirs(text) };
    });
  },
});

/** @param directory of the programs below `dist/src`, and of their bundles below `dist` */
function bundle(directory, programs) {
  const target = path.join(DIST, directory);
  return build({
    entryPoints: programs.map((program) => path.join(DIST, 'src', directory, `${program}.js`)),
    outdir: target,
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
    plugins: [modules(target)],
    logLevel: 'warning',
  });
}

await Promise.all([
  bundle('.', ['main', 'worker']),
  bundle('commands', ['migrate', 'archive', 'verify', 'shards']),
]);
