import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

const clockMessage =
  'Redis TIME gates the window and Postgres now() dates the ledger: take the instant from them. ' +
  'Durations come from performance.now().';

const nodeGlobals = Object.fromEntries(
  [
    'process',
    'require',
    'module',
    '__dirname',
    'setInterval',
    'clearInterval',
    'console',
    'fetch',
    'AbortSignal',
  ].map((name) => [name, 'readonly']),
);

export default tseslint.config(
  {
    ignores: ['dist/', '.local/', 'coverage/', 'libs/client/{api,named-operations}.ts', 'examples/clients/'],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  eslint.configs.recommended,
  { files: ['**/*.{js,cjs,mjs}'], languageOptions: { globals: nodeGlobals } },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Settings come from AppConfig (src/platform/config).',
        },
      ],
    },
  },
  {
    files: [
      'libs/environment/**',
      'src/commands/**',
      'src/dev/**',
      'libs/failpoint/**',
      'test/**',
      '**/*.spec.ts',
    ],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    // Tests look at JSON and at mocks, which have no types; the money code must not.
    files: ['test/**', '**/*.spec.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['src/core/**/*.ts', 'src/extensions/**/*.ts', 'src/platform/http/**/*.ts'],
    ignores: ['src/platform/http/input/judged.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'class-validator',
              allowImportNames: ['getMetadataStorage', 'ValidateIf', 'ValidateNested', 'ValidationError'],
              message: 'Its checks have no rule for clients: use Judged.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/core/**/*.ts', 'src/extensions/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'CallExpression[callee.object.name="Date"][callee.property.name="now"]',
          message: clockMessage,
        },
        { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: clockMessage },
      ],
    },
  },
);
