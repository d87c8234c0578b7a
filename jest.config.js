const { deciding, options } = require('./test/harness/jest-projects.js');

/** `npm test` */
module.exports = { ...options, projects: deciding };
