import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Files that Stryker mutates in one run, and the specs that should notice it. */
export interface Area {
  readonly name: string;
  /** Globs of Stryker. */
  readonly sources: readonly string[];
  /** Specs in `libs` and `src` start nothing; those in `test` have a Postgres and their own Redis. */
  readonly specs: readonly string[];
}

/** Kinds of files that decide nothing. */
const DULL = ['spec', 'module', 'dto', 'entity', 'error', 'controller'].map((kind) => `!**/*.${kind}.ts`);
const NAMES_ONLY = ['!**/index.ts', '!**/schema.ts', '!**/extension.ts', '!**/*-definition.ts'];
/** Statements, each of which has to find the breaches that test/reconciliation makes. */
const CHECKS = ['!**/invariants.ts'];

function area(name: string, sources: readonly string[], specs: readonly string[]): Area {
  return { name, sources: [...sources, ...DULL, ...NAMES_ONLY, ...CHECKS], specs };
}

/** A library, with its own specs. */
const library = (name: string): Area => area(`libs/${name}`, [`libs/${name}/**/*.ts`], [`libs/${name}/`]);

const settlement = (...names: string[]): string[] => names.map((name) => `test/settlement/${name}.spec`);
const payout = (...files: string[]): string[] => files.map((file) => `src/extensions/payout/${file}.ts`);

/**
 * Areas are small, because a run that is cut off starts again from the beginning. Each mutant is tested by
 * those tests of its area that reach it.
 */
export const AREAS: readonly Area[] = [
  ...['money', 'roles', 'pace', 'packet-proof', 'claim-log', 'split'].map(library),
  area(
    'payout/signed-json',
    [...payout('send/signed-json'), 'libs/payout-protocol/*.ts'],
    ['src/extensions/payout/send/'],
  ),
  area('payout/gathering', payout('gather/gathering'), ['src/extensions/payout/gather/']),
  area(
    'payout/lines',
    payout(
      ...['statement-lines', 'csv-rows', 'json-rows', 'statement-text'].map((file) => `statement/${file}`),
    ),
    ['src/extensions/payout/statement/'],
  ),
  area('ticket', ['src/extensions/ticket/tickets.ts'], ['src/extensions/ticket/']),
  area(
    'rate-limit/counts',
    ['rate-limit/rate-limit', 'auth/address-key'].map((file) => `src/platform/http/${file}.ts`),
    ['src/platform/http/rate-limit/', 'src/platform/http/auth/'],
  ),
  area(
    'rate-limit/requests',
    ['src/platform/http/rate-limit/*.ts', '!**/rate-limit/rate-limit.ts'],
    ['test/edge/rate-limit', 'src/platform/http/rate-limit/'],
  ),
  area(
    'payout/asked',
    payout('book/allowance', 'ask/asked-payouts', 'ask/payout-asks'),
    settlement('payout-sums', 'asking', 'unsent'),
  ),
  area(
    'payout/review',
    payout('book/new-payouts', 'book/payout-decisions', 'book/review-sweep'),
    settlement('second-person', 'payout-days', 'payout-sums', 'calls'),
  ),
  area(
    'payout/due-calls',
    payout('send/due-calls'),
    settlement('calls', 'payout-sums', 'users-in-trouble', 'lost-calls'),
  ),
  area('payout/usable', payout('channel/usable-channels'), settlement('unsent', 'payout-sums')),
  area(
    'payout/answers',
    payout('send/answers'),
    settlement('calls', 'payout-sums', 'users-in-trouble', 'lost-calls'),
  ),
  area(
    'payout/outcomes',
    payout('book/call-records', 'book/payout-outcomes', 'book/payout-changes', 'book/payout-state'),
    [...settlement('calls', 'payout-sums'), 'test/model/payouts'],
  ),
  area('payout/unsent', payout('gather/unsent-sweep'), settlement('unsent')),
  area('payout/files', payout('statement/statement-judge'), [...settlement('calls'), 'test/model/payouts']),
  area('limits', ['src/core/grab/tap/last-packets.ts'], settlement('last-packets', 'limits')),
  area('outlet', ['src/core/outlet/*.ts'], ['src/core/outlet/']),
  area(
    'approval',
    ['src/extensions/approval/*.ts', '!**/describe-approvals.ts', 'src/core/second-person/second-person.ts'],
    [
      ...settlement('approvals', 'approval-decisions', 'without-approvals', 'second-person'),
      'src/core/second-person/',
    ],
  ),
  area(
    'admission',
    [
      'src/core/grab/admission/admission-rules.ts',
      'src/core/grab/admission/admissions.ts',
      'src/extensions/ticket/ticket-rule.ts',
    ],
    ['test/edge/password-tries', ...settlement('admission', 'audiences')],
  ),
  area(
    'audience',
    ['src/extensions/audience/*.ts', 'src/core/activity/visibility.ts'],
    ['src/extensions/audience/', 'test/edge/password-tries', ...settlement('audiences')],
  ),
  area(
    'sender',
    ['src/extensions/sender/received-totals.ts', 'src/extensions/sender/sending-bounds.ts'],
    settlement('received-totals', 'sending-bounds', 'packet-bounds'),
  ),
  area(
    'code-pool',
    ['src/extensions/code-pool/code-lines.ts', 'src/extensions/code-pool/code-seal.ts'],
    ['src/extensions/code-pool/'],
  ),
  area(
    'code-pool/given',
    ['code-backing', 'code-return-sweep', 'won-code.service'].map(
      (file) => `src/extensions/code-pool/${file}.ts`,
    ),
    settlement('code-pools'),
  ),
  area('fairness', ['src/extensions/fairness/*.ts'], settlement('seeds', 'packet-proofs')),
];

/** Returns the specs of a checkout with these prefixes, except slow ones. */
export const specFiles = (root: string, beginnings: readonly string[]): string[] =>
  fastSpecs(root).filter((name) => beginnings.some((beginning) => name.startsWith(beginning)));

const fastSpecs = (root: string): string[] =>
  ['libs', 'src', 'test'].flatMap((directory) =>
    (readdirSync(join(root, directory), { recursive: true }) as string[])
      .map((name) => `${directory}/${name}`)
      .filter((name) => /(?<!\.slow)\.spec\.ts$/.test(name)),
  );
