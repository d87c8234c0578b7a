// The rules for `npm run lint -- FILE…`: those that know types are off, since types would take ten seconds.
import tseslint from 'typescript-eslint';
import config from './eslint.config.mjs';

export default tseslint.config(
  ...config,
  { files: ['**/*.{ts,tsx}'], extends: [tseslint.configs.disableTypeChecked] },
  // A comment that switches off one of those rules is not superfluous.
  { linterOptions: { reportUnusedDisableDirectives: 'off' } },
);
