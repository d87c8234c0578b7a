import { join } from 'node:path';
import type { ApiClient } from '../../libs/client';
import { freePort } from '../../src/dev/engines';
import { startNodeProgram } from '../../src/dev/local/node-program';
import { checkBooks, type Installation } from './api';
import type { Server } from './product';
import type { Stage } from './stage';
import { until } from './until';

const WITHIN_MS = 300_000;
const POLL_MS = 50;

export interface Place {
  readonly stage: Stage;
  readonly installation: Installation;
  readonly api: Server;
  readonly worker: Server;
  readonly operator: ApiClient;
}

/** Opens a channel to its own receiver, which pays this many per second. */
export async function openChannel({ stage, installation, operator }: Place, perSecond: number) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = await startNodeProgram({
    name: 'receiver',
    script: join('..', 'test', 'bench', 'payout-receiver.js'),
    args: [String(port), String(perSecond)],
    env: { PATH: process.env.PATH },
    logFile: join(stage.newDir('logs'), 'receiver.log'),
  });
  stage.atEnd(() => program.stop());
  await program.ready(() => program.output.includes('listens'), WITHIN_MS);
  const profile = { smallest: '0.01', perSecond, inFlight: 200 };
  const { id } = await operator.createPayoutChannel({ name: 'Bench', url, profile });
  const { dataSource } = installation;
  const count = async (what: string) => {
    const [row] = await dataSource.query<{ count: number }[]>(`select count(*)::int as count from ${what}`);
    return row!.count;
  };
  const paid = () => count(`payout where channel_id = ${id} and state = 'paid'`);
  const book = async () =>
    (await (await fetch(`${url}/book`)).json()) as { readonly paid: number; readonly refused: number };
  return {
    id,
    paid,
    /** Asks the receiver first: counting in Postgres would be counted as work of the payouts. */
    havePaid: (wins: number) =>
      until(
        async () =>
          (await book()).paid === wins && (await paid()) === wins && (await count('payout_news')) === 0,
        `${wins} payouts`,
        WITHIN_MS,
        POLL_MS,
      ),
    /** @throws Error if the receiver's book differs from ours */
    end: async (wins: number) => {
      const seen = await book();
      if (seen.paid !== wins || seen.refused !== 0)
        throw new Error(`${wins} payouts are paid, and the receiver says ${JSON.stringify(seen)}.`);
      await checkBooks(installation);
      await program.stop();
    },
  };
}
