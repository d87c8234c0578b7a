const { elsewhere, onOneServer, options } = require('./test/harness/jest-projects.js');

/** `npm test` */
module.exports = { ...options, projects: [onOneServer, ...elsewhere('some')] };
