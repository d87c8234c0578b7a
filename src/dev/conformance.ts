import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import type { Settings } from './conformance/bench';
import { ODD_USER_IDS } from './conformance/checks';
import { conform, type Receiver, reportOf } from './conformance/conformance';
import { paidAmounts } from './conformance/paid-amounts';
import { ReceiverClient } from './conformance/receiver-client';

const UP_WITHIN_MS = 30_000;
const POLL_MS = 100;
/** The package `hongbao-conformance` has the same program under its own name. */
const PROGRAM = basename(process.argv[1]!).startsWith('hongbao-')
  ? 'npx hongbao-conformance'
  : 'npm run conformance --';

const run = promisify(execFile);

/** `npm run conformance -- --url URL --secret whsec_…`, or `npx hongbao-conformance …`: the exit code is 1 when a check fails. */
async function main(): Promise<boolean> {
  const { receiver, settings, json } = requestFrom(process.argv.slice(2));
  if (!(await answers(receiver)))
    throw new Error(`Nobody answers at ${receiver.url}: start the receiver first.`);
  const results = await conform(receiver, settings, (name) => process.stderr.write(`${name}…\n`));
  process.stdout.write(`${json ? JSON.stringify(results, null, 2) : reportOf(results)}\n`);
  return results.every(({ result }) => result !== 'failed');
}

function requestFrom(args: string[]): { receiver: Receiver; settings: Settings; json: boolean } {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: {
      url: text,
      secret: text,
      'old-secret': text,
      currency: { ...text, default: 'CNY' },
      'other-currency': { ...text, default: 'XTS' },
      decimals: text,
      smallest: text,
      largest: text,
      user: text,
      'odd-user': { ...text, multiple: true },
      'unknown-user': { ...text, default: 'unknown-user' },
      'closed-user': { ...text, default: 'closed-user' },
      payouts: { ...text, default: '1000' },
      rate: { ...text, default: '500' },
      restart: text,
      statement: text,
      'timeout-ms': { ...text, default: '10000' },
      json: { type: 'boolean', default: false },
    },
  });
  const { url = '', secret = '', restart } = values;
  if (!/^https?:\/\//.test(url)) throw new Error('--url is the address of the receiver.');
  if (!/^whsec_\S+$/.test(secret))
    throw new Error('--secret is whsec_ and base64: --help has a line that makes one.');
  const receiver = { url, secret, timeoutMs: countOf('timeout-ms', values['timeout-ms']) };
  const settings: Settings = {
    ...paidAmounts(values),
    otherCurrency: values['other-currency'],
    userId: values.user ?? 'kit-user',
    oddUserIds: values['odd-user'] ?? (values.user === undefined ? ODD_USER_IDS : []),
    unknownUserId: values['unknown-user'],
    closedUserId: values['closed-user'],
    oldSecret: values['old-secret'],
    payouts: countOf('payouts', values.payouts),
    perSecond: countOf('rate', values.rate),
    restart: restart === undefined ? undefined : () => restartBy(restart, receiver),
    statementFile: values.statement,
  };
  return { receiver, settings, json: values.json };
}

function countOf(name: string, text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) throw new Error(`--${name} must be a whole number above 0.`);
  return count;
}

/** The command returns when the old process has ended; the new one may need a moment to listen. */
async function restartBy(command: string, receiver: Receiver): Promise<void> {
  await run('sh', ['-c', command]);
  const deadline = performance.now() + UP_WITHIN_MS;
  while (!(await answers(receiver))) {
    if (performance.now() > deadline) throw new Error(`Nobody answers at ${receiver.url} after the restart.`);
    await pause(POLL_MS);
  }
}

/** Asks as the checks do: `fetch` refuses some ports. */
async function answers({ url, secret, timeoutMs }: Receiver): Promise<boolean> {
  const client = new ReceiverClient(url, [secret], timeoutMs);
  return client
    .call({ method: 'GET', path: '' })
    .then(
      () => true,
      () => false,
    )
    .finally(() => client.forgetConnections());
}

main().then(
  (conforms) => process.exit(conforms ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(
      `${error instanceof Error ? error.message : String(error)}\nUsage: ${PROGRAM} --help\n`,
    );
    process.exit(2);
  },
);
