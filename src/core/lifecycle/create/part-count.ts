import { must } from '../../../../libs/problem';
import { choosePartCount, type OwnRedis } from '../../../../libs/redis-scripts';
import { invalidField } from '../../../platform/http';
import type { CreateActivityBody } from './create.dto';

/**
 * The number of parts in the request, or as many as the expected taps need on the existing masters;
 * otherwise 1.
 *
 * @throws Problem `request.invalid` naming the field
 */
export function partCount(body: CreateActivityBody, { keys, servers }: OwnRedis): number {
  const { parts, expectedTapsPerSecond, packetCount } = body;
  const partsMax = Math.min(keys.shardCount, packetCount);
  if (parts !== undefined && parts > partsMax) {
    const message = `must be at most ${partsMax} here: the number of shards, and of packets`;
    throw invalidField('parts', must.beAtMost(partsMax, message));
  }
  if (parts !== undefined || expectedTapsPerSecond === undefined) return parts ?? 1;
  const masters = servers.keys.length;
  return Math.min(partsMax, choosePartCount({ packetCount, tapsPerSecond: expectedTapsPerSecond, masters }));
}
