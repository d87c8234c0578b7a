/** The folders of the platform, from the ground up: each may know those before it. */
const PLATFORM = [
  'version',
  'config',
  'processes',
  'telemetry',
  'postgres',
  'redis',
  'queue',
  'schedule',
  'http',
];

/** The rooms of `platform/http`, likewise. */
const HTTP = [
  ...['problems', 'input', 'auth', 'openapi', 'rate-limit', 'idempotency', 'edge', 'pages'],
  ...['fast-lane', 'websocket'],
];

/** The rooms of the grab, likewise. Its module and index stand on top of them. */
const GRAB = ['admission', 'draw', 'confirm', 'parts', 'journal', 'tap'];

/** The rooms of the console, from the ground up, likewise. The files beside them know them all. */
const CONSOLE = ['words', 'ui', 'session', 'views'];

/** The rooms of the payout extension, likewise. What joins them stands beside them. */
const PAYOUT = ['channel', 'book', 'ask', 'gather', 'send', 'statement', 'watch'];

/** The rooms of recovery, likewise: what Postgres has, and what is made of it in Redis. */
const RECOVERY = ['record', 'tidy', 'restore', 'mend'];

/** Each of these folders may know those before it, and nothing else that is beside it. */
const pointsDown = (name, parent, folders) =>
  folders.map((folder, i) => ({
    name,
    severity: 'error',
    from: { path: `^${parent}/${folder}/` },
    to: { path: `^${parent}/`, pathNot: `^${parent}/(${folders.slice(0, i + 1).join('|')})/` },
  }));

/** Says what an extension brings. */
const EXTENSION = '^src/extensions/[^/]+/extension\\.ts$';

/**
 * Which code may know which. Arrows point one way: dev and tests → commands → extensions → core →
 * platform → libs.
 */
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
      to: { path: '^src/(core|extensions|commands)/|^src/[^/]+\\.ts$' },
    },
    ...pointsDown('platform-points-down', 'src/platform', PLATFORM),
    ...pointsDown('http-points-down', 'src/platform/http', HTTP),
    ...pointsDown('grab-points-down', 'src/core/grab', GRAB),
    {
      name: 'modules-through-their-index',
      comment: 'What a module keeps to itself can change without asking anybody.',
      severity: 'error',
      from: { path: '^src/(core|extensions)/([^/]+)/', pathNot: EXTENSION },
      to: {
        path: '^src/(core|extensions)/',
        pathNot: ['^src/($1/$2/|(core|extensions)/[^/]+/index\\.ts$)', '^src/extensions/extension\\.ts$'],
      },
    },
    {
      name: 'extensions-are-joined-by-one-list',
      comment: 'Whose line is deleted there is gone. Each names the others that it needs.',
      severity: 'error',
      from: { pathNot: ['^src/extensions/index\\.ts$', EXTENSION] },
      to: { path: EXTENSION },
    },
    {
      name: 'programs-know-no-single-extension',
      severity: 'error',
      from: { path: '^src/(queue-board/|[^/]+\\.ts$)' },
      to: { path: '^src/extensions/', pathNot: '^src/extensions/index\\.ts$' },
    },
    {
      name: 'commands-know-the-extension-they-are-named-after',
      comment: 'They are taken out together.',
      severity: 'error',
      from: { path: '^src/commands/([^/.]+)' },
      to: { path: '^src/extensions/', pathNot: '^src/extensions/(index|[^/]+/extension|$1/index)\\.ts$' },
    },
    {
      name: 'programs-use-modules-through-their-index',
      severity: 'error',
      from: { path: '^src/[^/]+\\.ts$' },
      to: { path: '^src/core/', pathNot: '^src/core/[^/]+/index\\.ts$' },
    },
    {
      name: 'core-knows-no-extension',
      comment: 'A rain is played without any of them: what they need of the core is a port there.',
      severity: 'error',
      from: { path: '^src/core/' },
      to: { path: '^src/extensions/' },
    },
    {
      name: 'modules-know-no-programs',
      severity: 'error',
      from: { path: '^src/(core|extensions)/' },
      to: { path: '^src/commands/|^src/[^/]+\\.ts$' },
    },
    {
      name: 'programs-know-no-commands',
      severity: 'error',
      from: { path: '^src/[^/]+\\.ts$' },
      to: { path: '^src/commands/' },
    },
    {
      name: 'production-knows-no-developers',
      comment: 'What developers run is no part of what runs in production, and stands on top of it.',
      severity: 'error',
      from: { path: '^(src|libs|migrations)/', pathNot: '^src/dev/' },
      to: { path: '^src/dev/' },
    },
    {
      name: 'pages-know-only-the-client',
      comment:
        'A page is one more client of the public API. It knows the table of roles, and computes proofs and paces as programs do.',
      severity: 'error',
      from: { path: '^src/web/' },
      to: {
        pathNot:
          '^src/web/|^libs/(client|contrast|csv|pace|packet-proof|red-packet-id|roles)/|^node_modules/(preact|oauth4webapi|uplot|lean-qr|lucide)/',
      },
    },
    {
      name: 'pages-stand-apart',
      comment: 'What pages share is in the kit.',
      severity: 'error',
      from: { path: '^src/web/([^/]+)/' },
      to: { path: '^src/web/[^/]+/', pathNot: '^src/web/($1|kit)/' },
    },
    ...pointsDown('console-points-down', 'src/web/console', CONSOLE),
    ...pointsDown('recovery-points-down', 'src/core/recovery', RECOVERY),
    ...pointsDown('payout-points-down', 'src/extensions/payout', PAYOUT),
    {
      name: 'the-book-of-payouts-is-one-door',
      comment:
        'Other rooms say what a channel or a person has said. The book decides what becomes of the payout.',
      severity: 'error',
      from: { path: '^src/extensions/payout/[^/]+/', pathNot: '^src/extensions/payout/book/' },
      to: { path: '^src/extensions/payout/book/(payout-changes|state\\.repository)\\.ts$' },
    },
    {
      name: 'programs-know-no-pages',
      comment: 'Pages run in browsers; programs serve what was built of them.',
      severity: 'error',
      from: { path: '^(src|libs|migrations)/', pathNot: '^src/web/' },
      to: { path: '^src/web/' },
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
    {
      name: 'programs-need-no-package-of-tests',
      comment: '`npm start` and deployments install no packages for development.',
      severity: 'error',
      from: { path: '^(src|libs|migrations)/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev'] },
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
