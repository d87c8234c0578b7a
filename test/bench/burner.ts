import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** No work of a request keeps a processor for longer without a pause. */
const BURST_MS_MAX = 5;

/** Counts its own processor time, which passes only while it has a processor. Ends with its parent. */
const BURN = `
  const [burstMs, perSecond] = process.argv.slice(1).map(Number);
  const usedMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
  process.stdin.resume().on('end', () => process.exit());
  process.stdout.write('ready');
  const began = performance.now();
  const goOn = (burst) => setTimeout(() => {
    for (const end = usedMs() + burstMs; usedMs() < end;);
    goOn(burst + 1);
  }, began + (burst * 1000) / perSecond - performance.now());
  goOn(0);`;

/**
 * Burns this share of a processor in a separate process, which shares only the machine with the product: in
 * as many bursts as there were requests, or more shorter ones.
 */
export async function burn(processors: number, requestsPerSecond: number): Promise<{ end(): Promise<void> }> {
  const perSecond = Math.max(1, requestsPerSecond, (processors * 1000) / BURST_MS_MAX);
  const args = [(processors * 1000) / perSecond, perSecond].map(String);
  const burner = spawn(process.execPath, ['-e', BURN, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(burner.stdout, 'data');
  return {
    end: async () => {
      burner.stdin.end();
      await once(burner, 'exit');
    },
  };
}
