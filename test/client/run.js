// The code that uses the client need not compile while the client is out of date.
const { readFileSync, writeFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');
const { swcOptions, TYPESCRIPT } = require('../../deploy/swc.js');

require.extensions['.ts'] = (module, file) => {
  const { code } = transformSync(readFileSync(file, 'utf8'), { ...swcOptions(TYPESCRIPT), filename: file });
  module._compile(code, file);
};

const { generateClient } = require('./generate.ts');

generateClient().then(
  (files) => {
    for (const [file, text] of Object.entries(files)) {
      writeFileSync(file, text);
      process.stdout.write(`Wrote ${file}.\n`);
    }
  },
  (error) => {
    process.stderr.write(`The client was not generated. ${error}\n`);
    process.exitCode = 1;
  },
);
