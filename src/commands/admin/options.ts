import { InvalidArgumentError } from 'commander';

/** The command was not understood, and nothing was sent. Its message is one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface Option {
  /** The placeholder of its value in the help, such as `<amount>`; a switch has none. */
  readonly value?: string;
  readonly help: string;
  /** The path of the API's field that gets the value, where it is not the name of the option. */
  readonly field?: string;
  /** Other fields that it sets; a switch has only these. */
  readonly sets?: Readonly<Record<string, unknown>>;
  readonly required?: true;
  /** May be given more than once. */
  readonly multiple?: true;
  readonly choices?: readonly string[];
  /** @throws InvalidArgumentError */
  readonly parse?: (text: string) => unknown;
  /** The word `none` removes the value: the API gets null. An empty text may be a mistake in a shell. */
  readonly canBeNone?: true;
  /** Options that say something else about the same fields. */
  readonly conflicts?: readonly string[];
}

export type Options = Readonly<Record<string, Option>>;

/** Values by the names of their options. */
export type Values = Readonly<Record<string, unknown>>;

export type Fields = Record<string, unknown>;

/** Returns the paths of the fields that an option sets. */
export const pathsOf = (name: string, { value, field = name, sets = {} }: Option): string[] => [
  ...(value === undefined ? [] : [field]),
  ...Object.keys(sets),
];

/** Returns the fields that were typed, as the API names and nests them. */
export function fieldsOf(options: Options, values: Values): Fields {
  const fields: Fields = {};
  for (const [name, { value, field = name, sets = {}, canBeNone }] of Object.entries(options)) {
    if (values[name] === undefined) continue;
    const typed = canBeNone && values[name] === 'none' ? null : values[name];
    if (value !== undefined) put(fields, field.split('.'), typed);
    for (const [path, constant] of Object.entries(sets)) put(fields, path.split('.'), constant);
  }
  return fields;
}

function put(fields: Fields, [first, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) fields[first!] = value;
  else put((fields[first!] ??= {}) as Fields, rest, value);
}

/** Returns a field as it was typed. A field of a file that is sent keeps its name. */
export function typedName(field: string, options: Options, values: Values): string {
  const found = Object.entries(options).find(
    ([name, option]) =>
      (values.body === undefined || values[name] !== undefined) &&
      pathsOf(name, option).some((path) => isIn(field, path)),
  );
  return found === undefined ? field : `--${found[0]}`;
}

/** A field may be part of another: `split.tiers[0].amount` is in `split.tiers`. */
const isIn = (field: string, part: string): boolean =>
  field === part || (field.startsWith(part) && '.['.includes(field[part.length]!));

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** Reads `8.88x10`: something, and how many of it. */
export const counted =
  (field: string) =>
  (text: string): Fields => {
    const [, what, count] = /^(.+)x(\d{1,9})$/.exec(text) ?? [];
    if (what === undefined)
      throw new InvalidArgumentError('It must have an x and a count at its end, such as 8.88x10.');
    return { [field]: what, count: Number(count) };
  };

export const PAGE_OPTIONS = {
  limit: { value: '<n>', help: 'at most this many, 1 to 100; 20 unless given', parse: wholeNumber },
  cursor: { value: '<cursor>', help: 'continue after an earlier page' },
} satisfies Options;

/** Amounts without it are in the default currency of the installation. */
export const CURRENCY_OPTION: Options = {
  currency: {
    value: '<code>',
    help: 'the currency, such as EUR; the default of the installation unless given',
  },
};
