import type { ApiClient } from '../../../libs/client';
import type { Arguments, Operands, Options } from './arguments';

/** What a command has found: as the API said it, for machines, and in words for people. */
export interface Found {
  readonly value: unknown;
  readonly text: string;
  /** Something is not as it should be; the exit code says so too. */
  readonly isBad?: boolean;
}

/** One thing that operators do, by requests of the public API. */
export interface Command {
  /** As they are typed, e.g. `activities show`. */
  readonly words: string;
  readonly operands?: Operands;
  readonly help: string;
  readonly options?: Options;
  /** Nothing is found where all that there is to say has been written already. */
  readonly run: (api: ApiClient, args: Arguments) => Promise<Found | undefined>;
}

/** A field of the API in the words of the command line. */
export function typedName(field: string, { options = {} }: Command): string {
  const found = Object.entries(options).find(([name, option]) => isIn(field, option.field ?? name));
  return found === undefined ? field : `--${found[0]}`;
}

/** `split.tiers[0].amount` is in `split.tiers`. */
const isIn = (field: string, part: string): boolean =>
  field === part || (field.startsWith(part) && '.['.includes(field[part.length]!));

/** For every command. */
export const COMMON_OPTIONS = {
  url: { value: 'URL', help: 'where the API is; HONGBAO_URL unless given' },
  token: {
    value: 'TOKEN',
    help: 'who asks; HONGBAO_TOKEN unless given, where the process list does not show it',
  },
  json: { help: 'answer with JSON, for machines' },
  help: { help: 'say how it is used' },
} satisfies Options;

/** For commands that change something. */
export const KEY_OPTION = {
  key: { value: 'KEY', help: 'an Idempotency-Key of your own: repeated with it, the command has one effect' },
} satisfies Options;

export const keyOf = (args: Arguments): { key?: string } => ({ key: args.text('key') });

/** For lists. */
export const PAGE_OPTIONS = {
  limit: { value: 'N', help: 'at most so many, 1 to 100; 20 unless given' },
  cursor: { value: 'CURSOR', help: 'go on after an earlier page' },
} satisfies Options;

export const pageOf = (args: Arguments): { limit?: number; cursor?: string } => ({
  limit: args.number('limit'),
  cursor: args.text('cursor'),
});
