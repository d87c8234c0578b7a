import { Worker } from 'node:worker_threads';

const SPIN_MS = 5;

/** Uses processor time, and nothing else that the product uses. */
const BURN = `
  const { workerData } = require('node:worker_threads');
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  const began = performance.now();
  for (let spun = 0; ; ) {
    const end = performance.now() + ${SPIN_MS};
    while (performance.now() < end);
    spun += ${SPIN_MS};
    Atomics.wait(nothing, 0, 0, Math.max(0, began + spun / workerData - performance.now()));
  }`;

/** Burns this share of a processor evenly, in threads that share nothing else with the product. */
export function burn(processors: number): { end(): Promise<{ served: 0; refused: 0 }> } {
  const threads = Math.ceil(processors);
  const workers = Array.from(
    { length: threads },
    () => new Worker(BURN, { eval: true, workerData: processors / threads }),
  );
  return {
    end: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()));
      return { served: 0, refused: 0 };
    },
  };
}
