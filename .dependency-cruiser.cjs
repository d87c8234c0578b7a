/** Which code may know which. Arrows point one way: commands and tests → modules → platform → libs. */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or one of them knows too much.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'libs-stand-alone',
      comment: 'Libraries are pure: they know nothing of the application.',
      severity: 'error',
      from: { path: '^libs/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(src|migrations|test)/' },
    },
    {
      name: 'libs-through-their-index',
      severity: 'error',
      from: { path: '^(src|migrations)/' },
      to: { path: '^libs/[^/]+/', pathNot: '^libs/[^/]+/index\\.ts$' },
    },
    {
      name: 'libs-know-each-other-through-their-index',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/[^/]+/', pathNot: '^libs/([^/]+/index\\.ts$|$1/)' },
    },
    {
      name: 'platform-knows-no-modules',
      comment: 'The platform knows technology and no business words.',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: '^src/(modules|commands)/|^src/[^/]+\\.ts$' },
    },
    {
      name: 'modules-through-their-index',
      comment: 'What a module keeps to itself can change without asking anybody.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/', pathNot: '^src/modules/($1/|[^/]+/index\\.ts$)' },
    },
    {
      name: 'programs-use-modules-through-their-index',
      severity: 'error',
      from: { path: '^src/[^/]+\\.ts$' },
      to: { path: '^src/modules/', pathNot: '^src/modules/[^/]+/index\\.ts$' },
    },
    {
      name: 'modules-know-no-programs',
      severity: 'error',
      from: { path: '^src/modules/' },
      to: { path: '^src/commands/|^src/[^/]+\\.ts$' },
    },
    {
      name: 'controllers-only-translate',
      comment: 'A controller knows neither tables nor Redis; services decide and repositories hold SQL.',
      severity: 'error',
      from: { path: '\\.controller\\.ts$' },
      to: { path: '\\.(entity|repository)\\.ts$|node_modules/(typeorm|@nestjs/typeorm|ioredis|pg)/' },
    },
    {
      name: 'production-knows-no-tests',
      severity: 'error',
      from: { path: '^(src|libs|migrations)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^test/|\\.spec\\.ts$' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'import', 'node', 'default'],
    },
  },
};
