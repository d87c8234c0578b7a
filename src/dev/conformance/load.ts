import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './bench';

const LANES = 32;
const AMOUNTS = 997;

/** Starts the n-th payout not before its moment. A receiver that is slower is not hurried. */
export async function payMany(bench: Bench): Promise<void> {
  const { payouts, perSecond } = bench.settings;
  const startMs = performance.now();
  let next = 0;
  const lane = async () => {
    for (let n = next++; n < payouts; n = next++) {
      const early = startMs + (n * 1_000) / perSecond - performance.now();
      if (early > 0) await pause(early);
      await bench.pay(bench.order(`Load${n}`, { minor: n % AMOUNTS }));
    }
  };
  try {
    await Promise.all(Array.from({ length: LANES }, lane));
  } finally {
    next = payouts;
  }
}
