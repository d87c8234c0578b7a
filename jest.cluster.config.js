const { elsewhere, options } = require('./test/harness/jest-projects.js');

/** `npm run test:cluster` */
module.exports = { ...options, projects: elsewhere('all') };
