import type { ApiClient } from '../../../libs/client';
import type { Arguments, Operands, Options } from './arguments';

/** The API's value, for machines, and text for people. */
export interface Found {
  readonly value: unknown;
  readonly text: string;
  /** The command found a problem; the exit code says so too. */
  readonly isBad?: boolean;
}

export interface Command {
  /** Words as they are typed: `activities show`. */
  readonly words: string;
  readonly operands?: Operands;
  readonly help: string;
  readonly options?: Options;
  /** Undefined when all output has been written already. */
  readonly run: (api: ApiClient, args: Arguments) => Promise<Found | undefined>;
}

/** Returns an API field as it is typed on the command line. */
export function typedName(field: string, { options = {} }: Command): string {
  const found = Object.entries(options).find(([name, option]) => isIn(field, option.field ?? name));
  return found === undefined ? field : `--${found[0]}`;
}

/** A field may be part of another: `split.tiers[0].amount` is in `split.tiers`. */
const isIn = (field: string, part: string): boolean =>
  field === part || (field.startsWith(part) && '.['.includes(field[part.length]!));

export const COMMON_OPTIONS = {
  url: { value: 'URL', help: 'where the API is; HONGBAO_URL unless given' },
  token: {
    value: 'TOKEN',
    help: 'who asks; HONGBAO_TOKEN unless given, where the process list does not show it',
  },
  json: { help: 'answer with JSON, for machines' },
  help: { help: 'say how it is used' },
} satisfies Options;

export const KEY_OPTION = {
  key: { value: 'KEY', help: 'an Idempotency-Key of your own: repeated with it, the command has one effect' },
} satisfies Options;

export const keyOf = (args: Arguments): { key?: string } => ({ key: args.text('key') });

export const PAGE_OPTIONS = {
  limit: { value: 'N', help: 'at most so many, 1 to 100; 20 unless given' },
  cursor: { value: 'CURSOR', help: 'go on after an earlier page' },
} satisfies Options;

export const pageOf = (args: Arguments): { limit?: number; cursor?: string } => ({
  limit: args.number('limit'),
  cursor: args.text('cursor'),
});
