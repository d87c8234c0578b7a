import type { ApiClient, Schema } from '../../../../libs/client';
import { Unfulfilled } from '../ui/fault';
import { words } from '../words';

type DeadLetter = Schema<'DeadLetterDto'>;

const ASK_EVERY_MS = 500;
const ASKS_MAX = 12;

/**
 * A replay only sends the claim on its way. Returns what became of it: true if it is paid, false if
 * it is on its way still after some seconds.
 *
 * @throws Unfulfilled if it is a dead letter again
 */
export async function isPaidSoon(api: ApiClient, { activityId, userId }: DeadLetter): Promise<boolean> {
  for (let asks = 0; asks < ASKS_MAX; asks++) {
    const { items } = await api.listGrabs(activityId, { userId, limit: 1 });
    const settlement = items[0]?.settlement ?? 'pending';
    if (settlement === 'dead-letter') throw new Unfulfilled(() => words.deadLetters.deadAgain(userId));
    if (settlement !== 'pending') return true;
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
  return false;
}
