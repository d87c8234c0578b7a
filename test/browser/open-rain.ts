import { setTimeout as pause } from 'node:timers/promises';
import { type ApiClient, ApiProblem, newKey, Unreachable } from '../../libs/client';

const OPEN_FOR_MS = 3_600_000;
const ANSWERED_WITHIN_MS = 180_000;

export interface RainPlan {
  readonly name: string;
  readonly totalAmount: string;
  readonly packetCount: number;
  /** Delay of the opening; at once by default. */
  readonly opensInMs?: number;
}

/** Funds a sponsor and creates an activity; returns its id. */
export async function openRain(
  api: ApiClient,
  { opensInMs = 0, totalAmount, ...plan }: RainPlan,
): Promise<string> {
  const sponsorId = 'page-sponsor';
  await api.post('/v1/wallets/{ownerId}/deposits', {
    path: { ownerId: sponsorId },
    body: { amount: totalAmount },
  });
  const opensAtMs = Date.now() + opensInMs;
  const body = {
    ...plan,
    sponsorId,
    totalAmount,
    split: { kind: 'random', min: '1.00' } as const,
    opensAt: new Date(opensAtMs).toISOString(),
    closesAt: new Date(opensAtMs + OPEN_FOR_MS).toISOString(),
  };
  const key = newKey();
  const { id } = await untilAnswered(() => api.post('/v1/activities', { body, key }));
  return id;
}

/**
 * Repeats a request under its key until it is answered: a million packets may take longer than a
 * connection may be silent.
 */
async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + ANSWERED_WITHIN_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!mayBeRepeated(error) || performance.now() > deadline) throw error;
      await pause(1_000);
    }
  }
}

const mayBeRepeated = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof ApiProblem && error.retryAfterSeconds !== undefined);
