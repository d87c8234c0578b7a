/**
 * Options with which SWC compiles this repository: for programs, for tests, and for the generator
 * of the client.
 */
const swcOptions = (parser) => ({
  swcrc: false,
  sourceMaps: true,
  module: { type: 'commonjs' },
  jsc: {
    target: 'es2023',
    keepClassNames: true,
    parser,
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
});

const TYPESCRIPT = { syntax: 'typescript', decorators: true };

module.exports = { swcOptions, TYPESCRIPT };
