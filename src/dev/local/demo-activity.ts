import type { ApiClient, Schema } from '../../../libs/client';
import { currencyDigits, formatMoney, limitsIn, parseMoney } from '../../../libs/money';

const OPEN_FOR_MS = 24 * 60 * 60 * 1000;

type Body = Schema<'CreateActivityBody'>;

/** The terms of an activity. It opens now, and keeps the money in wallets, unless they say otherwise. */
export type DemoPlan = Partial<Body> &
  Readonly<Required<Pick<Body, 'sponsorId' | 'totalAmount' | 'packetCount'>>>;

const AMOUNT = 1000;
const PACKETS = 200;

/**
 * The rain of `npm start`. It is small enough for one person to deposit and create alone.
 * @throws Error with one line if no amount is
 */
export function demoPlan({ CURRENCY, APPROVAL_ABOVE, APPROVAL_ABOVE_DAILY }: NodeJS.ProcessEnv): {
  plan: DemoPlan;
  remark?: string;
} {
  const code = CURRENCY || 'CNY';
  const digits = currencyDigits(code);
  const limit = (setting = '') => parseMoney(new Map(limitsIn(setting, code)).get(code), digits);
  const whole = BigInt(AMOUNT * 10 ** digits);
  const alone = limit(APPROVAL_ABOVE) ?? whole;
  const aloneTwice = (limit(APPROVAL_ABOVE_DAILY) ?? whole * 2n) / 2n;
  const amountMinor = [whole, alone, aloneTwice].reduce((a, b) => (a < b ? a : b));
  if (amountMinor === 0n) throw new Error('Any amount waits for an approval (APPROVAL_ABOVE…).');
  const totalAmount = formatMoney(amountMinor, digits);
  const packetCount = amountMinor < PACKETS ? Number(amountMinor) : PACKETS;
  const plan = { sponsorId: 'demo-sponsor', totalAmount, packetCount };
  if (amountMinor === whole) return { plan };
  return {
    plan,
    remark: `The demo rain has ${totalAmount} only: more waits for an approval (APPROVAL_ABOVE…).`,
  };
}

export async function openDemo(
  operator: ApiClient,
  { sponsorId }: DemoPlan,
): Promise<Schema<'ActivityDto'> | undefined> {
  const query = { sponsorId, phase: 'open', limit: 1 } as const;
  const { items } = await operator.listActivities(query);
  return items[0];
}

/** Opens an activity for a day. */
export async function openDemoActivity(operator: ApiClient, plan: DemoPlan): Promise<Schema<'ActivityDto'>> {
  const nowMs = Date.now();
  const deposit = await operator.depositMoney(plan.sponsorId, { amount: plan.totalAmount });
  if (deposit.status === 202)
    throw new Error(`Its deposit waits for approval ${deposit.body.id} by a second person.`);
  const created = await operator.createActivity({
    name: 'Demo rain',
    split: { kind: 'random' },
    opensAt: new Date(nowMs).toISOString(),
    closesAt: new Date(nowMs + OPEN_FOR_MS).toISOString(),
    ...plan,
  });
  if (created.status === 202) throw new Error(`It waits for approval ${created.body.id} by a second person.`);
  return created.body;
}
