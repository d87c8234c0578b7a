/* Required by a program before all else (NODE_OPTIONS): writes, when it ends, which modules it has loaded. */
const { appendFileSync } = require('node:fs');

process.on('exit', () =>
  appendFileSync(process.env.LOADED_MODULES_FILE, `${Object.keys(require.cache).join('\n')}\n`),
);
