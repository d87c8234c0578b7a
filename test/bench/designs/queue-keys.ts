import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { AMOUNT_PER_PACKET_MINOR, type Design } from './design';
import { claimsOf, openRain } from './tables';

export interface Packet {
  readonly no: number;
  readonly amount: number;
}

const PACKETS_PER_CALL = 2_000;

export const queueOf = (rainId: string): string => `rain:${rainId}:packets`;
export const usersOf = (rainId: string): string => `rain:${rainId}:users`;
export const backupOf = (rainId: string): string => `rain:${rainId}:backup`;

/** A list in Redis holds the packets, each as JSON. */
export const onQueue = ({
  pg,
  redis,
}: {
  pg: Pool;
  redis: Redis;
}): Pick<Design, 'open' | 'left' | 'claims'> => ({
  async open(packets) {
    const rainId = await openRain(pg, packets);
    await pushPackets(redis, rainId, packets);
    return rainId;
  },
  left: (rainId) => redis.llen(queueOf(rainId)),
  claims: (rainId) => claimsOf(pg, rainId),
});

export async function pushPackets(redis: Redis, rainId: string, packets: number): Promise<void> {
  for (let start = 0; start < packets; start += PACKETS_PER_CALL) {
    const count = Math.min(PACKETS_PER_CALL, packets - start);
    await redis.lpush(queueOf(rainId), ...Array.from({ length: count }, (_, i) => packetText(start + i + 1)));
  }
}

function packetText(no: number): string {
  const amount = 1 + Math.floor(Math.random() * 2 * AMOUNT_PER_PACKET_MINOR);
  return JSON.stringify({ no, amount } satisfies Packet);
}
