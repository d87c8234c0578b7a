import { join } from 'node:path';
import { runProgram } from '../harness/command-line';

/** Runs the monitor of the log of claims. Returns all that it has printed. */
export async function runMonitor(...options: string[]): Promise<{ code: number; output: string }> {
  const args = [join('dist', 'src', 'dev', 'monitor.js'), ...options];
  const { code, stdout, stderr } = await runProgram(process.execPath, args);
  return { code, output: `${stdout}${stderr}`.trim() };
}
