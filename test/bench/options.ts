import { parseArgs } from 'node:util';

export interface Options {
  /** Names of benches; all when there is none. */
  readonly names: readonly string[];
  readonly quick: boolean;
  /** Receives every figure and every target. */
  readonly json?: string;
  /** Receives the charts. */
  readonly charts: string;
}

/** @throws Error with one line for the user */
export function readOptions(args: string[], localDir: string): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      charts: { type: 'string', default: `${localDir}/charts` },
    },
  });
  return { names: positionals, quick: values.quick, json: values.json, charts: values.charts };
}
