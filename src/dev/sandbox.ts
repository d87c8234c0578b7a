import { parseArgs } from 'node:util';
import { newSecret } from '../../libs/standard-webhooks';
import { stopRequest } from './local/stop-request';
import { OUTCOME_NAMES } from './sandbox/outcomes';
import { SandboxChannel } from './sandbox/sandbox-channel';

/** `npm run sandbox`: serves until it is stopped, and forgets everything then. */
async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      secret: { ...text, multiple: true },
      port: { ...text, default: '8090' },
      currency: { ...text, default: 'CNY' },
      'later-ms': { ...text, default: '5000' },
    },
  });
  const secrets = values.secret ?? [newSecret()];
  const [port, laterMs] = [Number(values.port), Number(values['later-ms'])];
  if (!Number.isSafeInteger(port) || !Number.isSafeInteger(laterMs))
    throw new Error('--port and --later-ms must be whole numbers.');
  const sandbox = await SandboxChannel.start({ secrets, port, laterMs, currency: values.currency });
  const named = OUTCOME_NAMES.filter((name) => name.startsWith('sbx-')).join(', ');
  process.stdout.write(
    `The sandbox pays at ${sandbox.url}, signed by ${secrets.join(' or ')}.\nUsers: ${named}.\n`,
  );
  await stopRequest();
  await sandbox.stop();
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(
      `${error instanceof Error ? error.message : String(error)}\nUsage: npm run sandbox -- --help\n`,
    );
    process.exit(1);
  },
);
