import { parseArgs } from 'node:util';

export interface Options {
  readonly rounds: number;
  readonly seed: number;
  /** Number of the first round. */
  readonly from: number;
  /** A kind, or the word before its colon. */
  readonly only?: string;
  /** The file for the results. */
  readonly json?: string;
  /** Number of systems that are used at the same time. */
  readonly lanes: number;
  /** A built checkout of another version with the same schema. */
  readonly beside?: string;
  readonly smoke: boolean;
  /** Shows the wall of the console in a browser meanwhile, and judges its figures. */
  readonly wall: boolean;
  readonly proveChecker: boolean;
}

/** @throws Error with one line for the user */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      round: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string' },
      json: { type: 'string' },
      lanes: { type: 'string', default: '1' },
      beside: { type: 'string' },
      smoke: { type: 'boolean', default: false },
      wall: { type: 'boolean', default: false },
      'prove-checker': { type: 'boolean', default: false },
    },
  });
  const from = values.round === undefined ? 1 : positive('round', values.round);
  const rounds = values.rounds === undefined ? undefined : positive('rounds', values.rounds);
  return {
    from,
    rounds: rounds ?? (values.round === undefined ? 20 : 1),
    seed: values.seed === undefined ? Date.now() % 1_000_000 : positive('seed', values.seed),
    only: values.only,
    json: values.json,
    lanes: positive('lanes', values.lanes),
    beside: values.beside,
    smoke: values.smoke,
    wall: values.wall,
    proveChecker: values['prove-checker'],
  };
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new Error(`--${name} must be a whole number of at least 1.`);
  return number;
}
