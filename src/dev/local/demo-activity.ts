import type { ApiClient, Schema } from '../../../libs/client';

const OPEN_FOR_MS = 24 * 60 * 60 * 1000;

export interface DemoPlan {
  readonly sponsorId: string;
  readonly totalAmount: string;
  readonly packetCount: number;
  /** The channel that pays winners out; their wallets keep the money where none is given. */
  readonly payout?: { readonly channelId: string };
}

export async function openDemo(
  operator: ApiClient,
  { sponsorId }: DemoPlan,
): Promise<Schema<'ActivityDto'> | undefined> {
  const query = { sponsorId, phase: 'open', limit: 1 } as const;
  const { items } = await operator.get('/v1/activities', { query });
  return items[0];
}

/** Opens an activity for a day. */
export async function openDemoActivity(operator: ApiClient, plan: DemoPlan): Promise<Schema<'ActivityDto'>> {
  const nowMs = Date.now();
  await operator.post('/v1/wallets/{ownerId}/deposits', {
    path: { ownerId: plan.sponsorId },
    body: { amount: plan.totalAmount },
  });
  const created = await operator.post('/v1/activities', {
    body: {
      name: 'Demo rain',
      ...plan,
      split: { kind: 'random' },
      opensAt: new Date(nowMs).toISOString(),
      closesAt: new Date(nowMs + OPEN_FOR_MS).toISOString(),
    },
  });
  if ('askedBy' in created)
    throw new Error('The demo rain waits for an approval: leave APPROVAL_ABOVE unset.');
  return created;
}
