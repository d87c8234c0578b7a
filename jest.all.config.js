const { deciding, options, rest } = require('./test/harness/jest-projects.js');

/** `npm run test:all` */
module.exports = { ...options, projects: [...deciding, ...rest] };
