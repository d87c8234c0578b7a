import type { ApiClient } from '../../../libs/client';
import { currencyDigits, formatMoney } from '../../../libs/money';
import { portFault } from '../engines';
import { SandboxChannel } from './sandbox-channel';

const NAME = 'Sandbox';
const LATER_MS = 5_000;
const FREE_PORT = 0;
/** The pace suits a single machine. */
const PACE = { perSecond: 10_000, inFlight: 64 };

export interface OpenSandbox {
  readonly channelId: string;
  readonly sandbox: SandboxChannel;
}

/**
 * Serves the sandbox as a channel of a system on this machine, which must run with
 * `WEBHOOK_PRIVATE_ADDRESSES`. The channel of an earlier start keeps its port but gets a new secret, because
 * the old one cannot be read; it forgets what it has paid.
 * @throws Error with one line when that port is taken
 */
export async function openSandbox(operator: ApiClient, currency: string): Promise<OpenSandbox> {
  const serve = (port: number, secrets: readonly string[]) =>
    SandboxChannel.start({ secrets, port, currency, laterMs: LATER_MS });
  const { items } = await operator.listPayoutChannels();
  const known = items.find(({ name, url }) => name === NAME && url !== null);
  if (known) {
    const port = Number(new URL(known.url!).port);
    const fault = await portFault(port);
    if (fault !== undefined) throw new Error(`Port ${port} of the sandbox ${fault}.`);
    const { secret } = await operator.rotatePayoutChannelSecret(known.id);
    return { channelId: known.id, sandbox: await serve(port, [secret]) };
  }
  const secrets: string[] = [];
  const sandbox = await serve(FREE_PORT, secrets);
  const smallest = formatMoney(1n, currencyDigits(currency));
  const body = { name: NAME, url: sandbox.url, profile: { smallest, ...PACE } };
  const { id, secret } = await operator.createPayoutChannel(body);
  secrets.push(secret!);
  return { channelId: id, sandbox };
}
