// Starts a program of programs.js: `require('./start.js')('main')`. `node dist/start.js` keeps what
// V8 makes of that file in a file beside it, and each start takes it from there (decision 33).
// Where that is missing, or was made by another Node or from another build, V8 compiles anew.
require('./node-floor.js').demandNode(require('./package.json').engines);

const { Buffer } = require('node:buffer');
const { createHash } = require('node:crypto');
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');

const FILE = path.join(__dirname, 'programs.js');
const COMPILED = `${FILE}.compiled`;
const DIGEST_BYTES = 32;

/** V8 compares lengths only. */
const digestOf = (text) => createHash('sha256').update(text).digest();

function compiledFrom(text) {
  if (!existsSync(COMPILED)) return undefined;
  const kept = readFileSync(COMPILED);
  return kept.subarray(0, DIGEST_BYTES).equals(digestOf(text)) ? kept.subarray(DIGEST_BYTES) : undefined;
}

/** Node calls this loader experimental; a program says what its operator can change, in a line. */
const { emitWarning } = process;
process.emitWarning = (warning, ...rest) => {
  if (!String(warning).includes('USE_MAIN_CONTEXT_DEFAULT_LOADER')) emitWarning(warning, ...rest);
};

function load(text, cachedData) {
  const script = new vm.Script(Module.wrap(text), {
    filename: FILE,
    cachedData,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const bundle = new Module(FILE, module);
  // Node reads the source map of a module only: this one has the map, and the script its code.
  bundle._compile('//# sourceMappingURL=programs.js.map', FILE);
  script.runInThisContext()(bundle.exports, require, bundle, FILE, __dirname);
  return { script, programs: bundle.exports };
}

function start(name) {
  const text = readFileSync(FILE, 'utf8');
  load(text, compiledFrom(text)).programs[name]();
}

function compile() {
  const text = readFileSync(FILE, 'utf8');
  const { script, programs } = load(text);
  programs.modules();
  writeFileSync(COMPILED, Buffer.concat([digestOf(text), script.createCachedData()]));
}

module.exports = start;
if (require.main === module) compile();
