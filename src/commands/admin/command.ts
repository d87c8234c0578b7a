import type { ApiClient } from '../../../libs/client';
import type { Arguments, Operands, Options } from './arguments';

/** The result of a command: the API's value, for machines, and text for people. */
export interface Found {
  readonly value: unknown;
  readonly text: string;
  /** The command found a problem; the exit code says so too. */
  readonly isBad?: boolean;
}

/** One task of operators, by requests of the public API. */
export interface Command {
  /** The words as they are typed, e.g. `activities show`. */
  readonly words: string;
  readonly operands?: Operands;
  readonly help: string;
  readonly options?: Options;
  /** Returns undefined when all output has been written already. */
  readonly run: (api: ApiClient, args: Arguments) => Promise<Found | undefined>;
}

/** Returns the name of an API field as it is typed on the command line. */
export function typedName(field: string, { options = {} }: Command): string {
  const found = Object.entries(options).find(([name, option]) => isIn(field, option.field ?? name));
  return found === undefined ? field : `--${found[0]}`;
}

/** Tells whether a field is part of another: `split.tiers[0].amount` is in `split.tiers`. */
const isIn = (field: string, part: string): boolean =>
  field === part || (field.startsWith(part) && '.['.includes(field[part.length]!));

/** Options of all commands. */
export const COMMON_OPTIONS = {
  url: { value: 'URL', help: 'where the API is; HONGBAO_URL unless given' },
  token: {
    value: 'TOKEN',
    help: 'who asks; HONGBAO_TOKEN unless given, where the process list does not show it',
  },
  json: { help: 'answer with JSON, for machines' },
  help: { help: 'say how it is used' },
} satisfies Options;

/** Option of commands that change something. */
export const KEY_OPTION = {
  key: { value: 'KEY', help: 'an Idempotency-Key of your own: repeated with it, the command has one effect' },
} satisfies Options;

export const keyOf = (args: Arguments): { key?: string } => ({ key: args.text('key') });

/** Options of lists. */
export const PAGE_OPTIONS = {
  limit: { value: 'N', help: 'at most so many, 1 to 100; 20 unless given' },
  cursor: { value: 'CURSOR', help: 'go on after an earlier page' },
} satisfies Options;

export const pageOf = (args: Arguments): { limit?: number; cursor?: string } => ({
  limit: args.number('limit'),
  cursor: args.text('cursor'),
});
