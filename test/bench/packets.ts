import type { Packet } from '../../libs/redis-scripts';
import type { DispenserParts } from '../harness/dispenser-parts';
import { pageOf } from '../harness/dispensing';

const HOUR_MS = 3_600_000;
const PAGE = 2_000;

interface RainPlan {
  readonly packets: number;
  readonly holders?: number;
  readonly parts?: number;
}

export async function openRain(
  dispenser: DispenserParts,
  activityId: string,
  { packets, holders = 0, parts = 1 }: RainPlan,
): Promise<void> {
  const { keys, loading } = dispenser;
  const now = await dispenser.nowMs();
  const window = { opensAtMs: now - HOUR_MS, closesAtMs: now + HOUR_MS, parts };
  for (let part = 0; part < parts; part++) {
    const place = keys.placeOfPart(activityId, part);
    await loading.begin(place, window);
    for (const page of pages(packetsFrom(1, holders), PAGE))
      await loading.loadClaims(
        place,
        page.map((packet) => ({ activityId, userId: `early-user-${packet.no}`, packet })),
      );
    const own = packetsFrom(holders + 1, packets).filter(({ no }) => no % parts === part);
    let cursor = 0;
    for (const page of pages(own, PAGE)) cursor = await loading.loadPackets(place, cursor, pageOf(page));
    const status = await loading.open(place, cursor);
    if (status !== 'open') throw new Error(`Activity ${activityId} is ${status} instead of open.`);
  }
}

export const packetsFrom = (first: number, count: number): Packet[] =>
  Array.from({ length: count }, (_, i) => ({ no: first + i, amountMinor: BigInt(100 + (i % 900)) }));

export function* pages<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
