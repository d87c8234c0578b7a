// `node deploy/bundle.mjs`, the second third of `npm run build`: writes the programs that know the
// engines into one file (decision 33), and a file of one line that starts each. Lua, SQL and the
// assets of Swagger UI stay files of their own, which are found at run time.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { packaged, theirs } from './packaged.mjs';

const DEPLOY = path.dirname(fileURLToPath(import.meta.url));
const DIST = path.join(DEPLOY, '..', 'dist');
const SOURCES = path.join(DIST, 'src');
/** Programs below `src`, and the files that start them below `dist`. */
const PROGRAMS = [
  'main',
  'worker',
  'commands/migrate',
  'commands/archive',
  'commands/erasure',
  'commands/verify',
  'commands/doctor',
  'commands/shards',
];

/** Packages that only some installations need, to send traces. They are loaded at the first use. */
const LOADED_WHEN_NEEDED = [
  '@opentelemetry/context-async-hooks',
  '@opentelemetry/core',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
];

/** A source map of one place: stack traces name a package's file alone, and the map of all stays small. */
const NO_MAP =
  '\n//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbIiJdLCJtYXBwaW5ncyI6IkFBQUEifQ==';

/** Lets our modules find the files beside them, and a program restart by its own file. */
function ours(text, file) {
  const directory = `require('node:path').join(__dirname, ${JSON.stringify(path.relative(DIST, path.dirname(file)))})`;
  const ownFile = `require('node:path').join(__dirname, ${JSON.stringify(path.relative(SOURCES, file))})`;
  return text.replaceAll('__dirname', directory).replaceAll('__filename', ownFile);
}

const edited = {
  name: 'edited',
  setup({ onLoad }) {
    onLoad({ filter: /\.[cm]?js$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      const isOurs = !file.includes(`${path.sep}node_modules${path.sep}`);
      return { contents: isOurs ? ours(text, file) : theirs(text) + NO_MAP };
    });
  },
};

const entries = PROGRAMS.map((name) => `exports['${name}'] = () => require('./src/${name}.js');`);
/** Loads what the programs consist of, and starts none. */
const modules = `exports.modules = () => [require('./src/api.module.js'), require('./src/worker.module.js')];`;

await build({
  stdin: { contents: [...entries, modules].join('\n'), resolveDir: DIST },
  outfile: path.join(DIST, 'programs.js'),
  ...packaged,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'eof',
  external: [...packaged.external, ...LOADED_WHEN_NEEDED],
  plugins: [edited],
});

for (const name of ['node-floor.js', 'start.js'])
  await copyFile(path.join(DEPLOY, name), path.join(DIST, name));
for (const name of PROGRAMS) {
  const file = path.join(DIST, `${name}.js`);
  const start = name.includes('/') ? '../start.js' : './start.js';
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `require('${start}')('${name}');\n`);
}
