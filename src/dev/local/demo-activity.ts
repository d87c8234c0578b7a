import type { ApiClient, Schema } from '../../../libs/client';

const OPEN_FOR_MS = 24 * 60 * 60 * 1000;

type Body = Schema<'CreateActivityBody'>;

/** The terms of an activity. It opens now, and keeps the money in wallets, unless they say otherwise. */
export type DemoPlan = Partial<Body> &
  Readonly<Required<Pick<Body, 'sponsorId' | 'totalAmount' | 'packetCount'>>>;

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
      split: { kind: 'random' },
      opensAt: new Date(nowMs).toISOString(),
      closesAt: new Date(nowMs + OPEN_FOR_MS).toISOString(),
      ...plan,
    },
  });
  if ('askedBy' in created)
    throw new Error('The demo rain waits for an approval: leave APPROVAL_ABOVE unset.');
  return created;
}
