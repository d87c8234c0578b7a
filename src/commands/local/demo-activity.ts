import { randomUUID } from 'node:crypto';

const SPONSOR = 'demo-sponsor';
const TOTAL_AMOUNT = '1000.00';
const PACKET_COUNT = 200;
const OPENS_IN_MS = 2000;
const OPEN_FOR_MS = 24 * 60 * 60 * 1000;

export interface DemoActivity {
  readonly id: string;
  readonly packetCount: number;
  readonly totalAmount: string;
}

/** Funds a sponsor and creates an activity that opens in two seconds, over the public API as any client would. */
export async function openDemoActivity(apiUrl: string, operatorToken: string): Promise<DemoActivity> {
  const post = <T>(path: string, body: object) => postJson<T>(`${apiUrl}${path}`, operatorToken, body);
  const now = Date.now();
  await post(`/v1/wallets/${SPONSOR}/deposits`, { amount: TOTAL_AMOUNT });
  return post<DemoActivity>('/v1/activities', {
    name: 'Demo rain',
    sponsorId: SPONSOR,
    totalAmount: TOTAL_AMOUNT,
    packetCount: PACKET_COUNT,
    split: { kind: 'random' },
    opensAt: new Date(now + OPENS_IN_MS).toISOString(),
    closesAt: new Date(now + OPEN_FOR_MS).toISOString(),
  });
}

async function postJson<T>(url: string, token: string, body: object): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${url} answered ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}
