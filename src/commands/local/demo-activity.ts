import type { ApiClient } from './api-client';

const OPEN_FOR_MS = 24 * 60 * 60 * 1000;

export interface DemoActivity {
  readonly id: string;
  readonly packetCount: number;
  readonly totalAmount: string;
}

export interface DemoPlan {
  readonly sponsorId: string;
  readonly totalAmount: string;
  readonly packetCount: number;
}

/** The newest activity of that sponsor that is still open, if there is one. */
export async function openDemo(
  operator: ApiClient,
  { sponsorId }: DemoPlan,
): Promise<DemoActivity | undefined> {
  const { items } = await operator.get<{ items: DemoActivity[] }>(
    `/v1/activities?sponsorId=${sponsorId}&phase=open&limit=1`,
  );
  return items[0];
}

/** Funds a sponsor and opens an activity for a day, as any operator would. */
export async function openDemoActivity(operator: ApiClient, plan: DemoPlan): Promise<DemoActivity> {
  const nowMs = Date.now();
  await operator.post(`/v1/wallets/${plan.sponsorId}/deposits`, { amount: plan.totalAmount });
  return operator.post<DemoActivity>('/v1/activities', {
    name: 'Demo rain',
    ...plan,
    split: { kind: 'random' },
    opensAt: new Date(nowMs).toISOString(),
    closesAt: new Date(nowMs + OPEN_FOR_MS).toISOString(),
  });
}
