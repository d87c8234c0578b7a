import { parseArgs } from 'node:util';
import type { Size } from './stage';

export interface Options {
  /** Names of the benches to run; all if empty. */
  readonly names: readonly string[];
  readonly size: Size;
  /** The file for every figure and every target. */
  readonly json?: string;
  /** The directory for the charts. */
  readonly charts: string;
}

/** @throws Error with one line for the user */
export function readOptions(args: string[], localDir: string): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      tiny: { type: 'boolean', default: false },
      json: { type: 'string' },
      charts: { type: 'string' },
    },
  });
  const { quick, tiny, json } = values;
  if (quick && tiny) throw new Error('A run is quick or tiny.');
  const size = tiny ? 'tiny' : quick ? 'quick' : 'full';
  const charts = values.charts ?? `${localDir}/${tiny ? 'charts-tiny' : 'charts'}`;
  return { names: positionals, size, json, charts };
}
