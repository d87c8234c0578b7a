/** Options with which SWC compiles programs, tests, and the generator of the client. */
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
