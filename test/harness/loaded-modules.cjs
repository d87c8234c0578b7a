/*
 * Writes the list of loaded modules at a program's exit. NODE_OPTIONS makes the program require it
 * first.
 */
const { appendFileSync } = require('node:fs');

process.on('exit', () =>
  appendFileSync(process.env.LOADED_MODULES_FILE, `${Object.keys(require.cache).join('\n')}\n`),
);
