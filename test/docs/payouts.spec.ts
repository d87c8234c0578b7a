import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NEXT_STATES } from '../../src/extensions/payout/book/payout-state';

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'payouts.md'), 'utf8');

it('docs/payouts.md has the table of allowed changes, in its order', () => {
  const rows = Array.from(
    page.matchAll(/^\| `([a-z-]+)` +\| the [a-z ]+\| (.*?) +\|$/gm),
    ([, state, next]) => [state, Array.from(next!.matchAll(/`([a-z-]+)`/g), ([, name]) => name)],
  );
  expect(rows).toEqual(Object.entries(NEXT_STATES));
});
