import { Chance } from './chance';
import type { Kind } from './kind';
import { ACCESS } from './kinds-access';
import { ACKNOWLEDGED_BY_REDIS } from './kinds-ack';
import { AMNESIA } from './kinds-amnesia';
import { CLUSTER } from './kinds-cluster';
import { DATA } from './kinds-data';
import { DISKS } from './kinds-disk';
import { ENGINES } from './kinds-engines';
import { FAILPOINT_KINDS } from './kinds-failpoint';
import { KILLS } from './kinds-kill';
import { NETWORK } from './kinds-network';
import { PARTITIONS } from './kinds-partitions';
import { PAYOUTS } from './kinds-payout';
import { PROCESSES } from './kinds-process';
import { STANDBY } from './kinds-standby';
import { WITHDRAWALS } from './kinds-withdraw';

export const KINDS: readonly Kind[] = [
  ...KILLS,
  ...AMNESIA,
  ...FAILPOINT_KINDS,
  ...NETWORK,
  ...PROCESSES,
  ...DATA,
  ...PAYOUTS,
  ...WITHDRAWALS,
  ...ENGINES,
  ...ACCESS,
  ...PARTITIONS,
  ...DISKS,
  ...STANDBY,
  ...CLUSTER,
  ...ACKNOWLEDGED_BY_REDIS,
];

/**
 * Draws the kind of a round from a bag that has every kind as often as its weight says. The result depends
 * only on the seed and the number of the round.
 */
export function kindOfRound(kinds: readonly Kind[], seed: number, round: number): Kind {
  const bag = kinds.flatMap((kind) => Array.from({ length: kind.weight }, () => kind));
  const filling = Math.floor((round - 1) / bag.length);
  return new Chance(`${seed}/bag/${filling}`).shuffle(bag)[(round - 1) % bag.length]!;
}

export const kindsNamed = (word: string): Kind[] =>
  KINDS.filter(({ name }) => name === word || name.startsWith(`${word}:`));
