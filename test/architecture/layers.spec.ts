import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repository = resolve(__dirname, '..', '..');

const forbidden = [
  ['libs/money/money.ts', 'src/platform/clock/clock.ts', 'libs-stand-alone'],
  ['src/platform/queue/queue.ts', 'src/core/grab/index.ts', 'platform-knows-no-modules'],
  ['src/platform/telemetry/metrics.ts', 'src/platform/http/index.ts', 'platform-points-down'],
  ['src/platform/http/input/ids.ts', 'src/platform/http/edge/cors.ts', 'http-points-down'],
  [
    'src/core/recovery/tidy/ended-sweep.ts',
    'src/core/recovery/mend/activity-check.ts',
    'recovery-points-down',
  ],
  [
    'src/extensions/payout/channel/channel.service.ts',
    'src/extensions/payout/book/payout.entity.ts',
    'payout-points-down',
  ],
  [
    'src/extensions/payout/book/lost-calls.ts',
    'src/extensions/payout/payout.module.ts',
    'payout-points-down',
  ],
  [
    'src/extensions/payout/send/answers.ts',
    'src/extensions/payout/book/payout-changes.ts',
    'the-book-of-payouts-is-one-door',
  ],
  ['src/core/grab/draw/draw.ts', 'src/core/grab/tap/tap.ts', 'grab-points-down'],
  ['src/core/grab/confirm/confirm.ts', 'src/core/grab/journal/journal.ts', 'grab-points-down'],
  ['src/core/grab/tap/tap.ts', 'src/core/grab/index.ts', 'grab-points-down'],
  ['src/core/grab/grab.ts', 'src/core/wallet/ledger.repository.ts', 'modules-through-their-index'],
  ['src/main.ts', 'src/core/wallet/ledger.repository.ts', 'programs-use-modules-through-their-index'],
  ['src/core/grab/grab.ts', 'src/commands/verify.ts', 'modules-know-no-programs'],
  ['src/core/grab/grab.ts', 'src/extensions/payout/index.ts', 'core-knows-no-extension'],
  ['src/commands/verify.ts', 'src/extensions/payout/extension.ts', 'extensions-are-joined-by-one-list'],
  ['src/main.ts', 'src/extensions/payout/index.ts', 'programs-know-no-single-extension'],
  ['src/queue-board/serve.ts', 'src/extensions/webhook/index.ts', 'programs-know-no-single-extension'],
  [
    ...(['src/commands/verify.ts', 'src/extensions/archive/index.ts'] as const),
    'commands-know-the-extension-they-are-named-after',
  ],
  ['src/main.ts', 'src/commands/verify.ts', 'programs-know-no-commands'],
  ['src/commands/verify.ts', 'src/dev/start.ts', 'production-knows-no-developers'],
  ['src/core/grab/grab.ts', 'libs/money/currency.ts', 'libs-through-their-index'],
  ['libs/split/split.ts', 'libs/money/currency.ts', 'libs-know-each-other-through-their-index'],
  ['src/core/grab/tap/grab.controller.ts', 'src/core/grab/tap/claim.entity.ts', 'controllers-only-translate'],
  ['src/core/grab/tap/grab.controller.ts', 'node_modules/typeorm/index.ts', 'controllers-only-translate'],
  ['src/core/grab/tap/grab.controller.ts', 'node_modules/ioredis/index.ts', 'controllers-only-translate'],
  ['src/core/grab/grab.ts', 'test/harness/clock.ts', 'production-knows-no-tests'],
  ['src/web/rain/rain.ts', 'src/core/grab/index.ts', 'pages-know-only-the-client'],
  ['src/web/rain/rain.ts', 'libs/money/index.ts', 'pages-know-only-the-client'],
  ['src/web/rain/rain.ts', 'src/web/console/console.ts', 'pages-stand-apart'],
  ['src/web/kit/session.ts', 'src/web/rain/words.ts', 'pages-stand-apart'],
  ['src/web/console/words/labels.ts', 'src/web/console/ui/form.ts', 'console-points-down'],
  ['src/web/console/ui/table.ts', 'src/web/console/session/staff.ts', 'console-points-down'],
  ['src/web/console/ui/table.ts', 'src/web/console/views/audit.ts', 'console-points-down'],
  ['src/web/console/session/staff.ts', 'src/web/console/views/audit.ts', 'console-points-down'],
  ['src/web/console/views/audit.ts', 'src/web/console/console.ts', 'console-points-down'],
  ['src/boot.ts', 'src/web/kit/settings.ts', 'programs-know-no-pages'],
  ['libs/batching/one.ts', 'libs/batching/two.ts', 'no-cycles'],
  ['src/core/grab/grab.ts', 'node_modules/jest/index.ts', 'programs-need-no-package-of-tests'],
] as const;

const allowed = [
  ['src/core/grab/grab.ts', 'src/core/wallet/index.ts'],
  ['src/main.ts', 'src/extensions/index.ts'],
  ['src/commands/verify.ts', 'src/extensions/index.ts'],
  ['src/commands/archive.ts', 'src/extensions/archive/index.ts'],
  ['src/extensions/payout/extension.ts', 'src/extensions/approval/extension.ts'],
  ['src/extensions/index.ts', 'src/extensions/payout/extension.ts'],
  ['src/core/grab/grab.ts', 'src/core/grab/claim.entity.ts'],
  ['src/core/grab/tap/grab.ts', 'src/core/grab/confirm/claim.ts'],
  ['src/core/grab/grab.ts', 'src/platform/clock/clock.ts'],
  ['src/platform/http/edge/cors.ts', 'src/platform/http/input/page.ts'],
  ['src/platform/queue/queue.ts', 'libs/problem/index.ts'],
  ['src/platform/http/rate-limit/shared-counts.ts', 'src/platform/redis/index.ts'],
  ['src/commands/verify.ts', 'src/core/wallet/index.ts'],
  ['src/web/rain/rain.ts', 'libs/client/index.ts'],
  ['src/web/rain/rain.ts', 'src/web/kit/session.ts'],
  ['src/web/console/console.ts', 'src/web/console/views/wall/wall.ts'],
  ['src/web/console/views/payouts/payouts.ts', 'src/web/console/views/wallets/wallet-link.ts'],
  ['src/web/console/views/payouts/payouts.ts', 'src/web/console/session/open-id.ts'],
  ['src/web/console/session/sign-in.ts', 'src/web/console/ui/form.ts'],
  ['src/web/console/ui/form.ts', 'src/web/console/words/index.ts'],
  ['src/core/recovery/mend/activity-check.ts', 'src/core/recovery/restore/load-slots.ts'],
  ['src/extensions/payout/watch/payout.service.ts', 'src/extensions/payout/book/payout-lists.ts'],
  ['src/extensions/payout/payout.module.ts', 'src/extensions/payout/book/payout-changes.ts'],
  ['test/harness/ledger.ts', 'src/core/wallet/ledger.repository.ts'],
] as const;

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

let directory: string;
let violations: Violation[];

/** Checks a small project that has every import of both lists. */
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hongbao-layers-'));
  for (const file of ['.dependency-cruiser.cjs', 'package.json', 'tsconfig.json'])
    cpSync(join(repository, file), join(directory, file));
  for (const [from, to] of [...forbidden, ...allowed]) plantImport(from, to);
  plantImport('libs/batching/two.ts', 'libs/batching/one.ts'); // closes a circle, which is reported once
  violations = await cruise();
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function plantImport(from: string, to: string): void {
  append(to, '');
  append(from, `export * from '${specifierOf(from, to.replace(/\.ts$/, ''))}';\n`);
}

function specifierOf(from: string, to: string): string {
  if (to.startsWith('node_modules/')) return relative('node_modules', to);
  const path = relative(dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

function append(file: string, text: string): void {
  const path = join(directory, file);
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, text);
}

async function cruise(): Promise<Violation[]> {
  const program = join(repository, 'node_modules', '.bin', 'depcruise');
  const args = [
    program,
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
    'src',
    'libs',
    'test',
  ];
  const { stdout } = await run(process.execPath, args, { cwd: directory, maxBuffer: Infinity });
  const report = JSON.parse(stdout) as { summary: { violations: Violation[] } };
  return report.summary.violations;
}

function rulesAgainst(from: string, to: string): string[] {
  return violations.filter((found) => found.from === from && found.to === to).map(({ rule }) => rule.name);
}

describe('the layer rules', () => {
  it.each(forbidden)('%s may not import %s', (from, to, rule) => {
    expect(rulesAgainst(from, to)).toEqual([rule]);
  });

  it.each(allowed)('%s may import %s', (from, to) => {
    expect(rulesAgainst(from, to)).toEqual([]);
  });
});
