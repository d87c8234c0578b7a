import { parseArgs } from 'node:util';

/** Its message is one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface Option {
  /** Stands for its value in the help; a switch has none. */
  readonly value?: string;
  readonly help: string;
  /** The API's name of the field, where it differs. */
  readonly field?: string;
  readonly required?: true;
  /** May be given more than once. */
  readonly multiple?: true;
}

export type Options = Readonly<Record<string, Option>>;

/** Operands in order. After one that ends with `…` any number may follow. */
export type Operands = readonly string[];

export class Arguments {
  private constructor(
    readonly operands: readonly string[],
    private readonly values: Readonly<Record<string, unknown>>,
  ) {}

  /** @throws UsageError */
  static parse(args: string[], options: Options, operands: Operands = []): Arguments {
    const { values, positionals } = parsed(args, options);
    const isOpen = operands.at(-1)?.endsWith('…') ?? false;
    if (!isOpen && positionals.length !== operands.length)
      throw new UsageError(
        operands.length === 0 ? 'It takes no operands.' : `It takes ${operands.join(' ')}.`,
      );
    const missing = Object.keys(options).find(
      (name) => options[name]!.required && values[name] === undefined,
    );
    if (missing !== undefined) throw new UsageError(`--${missing} is missing.`);
    return new Arguments(positionals, values);
  }

  operand(index = 0): string {
    return this.operands[index]!;
  }

  /** The API itself refuses words that it does not take. */
  text<Word extends string>(name: string): Word | undefined {
    return this.values[name] as Word | undefined;
  }

  required(name: string): string {
    return this.values[name] as string;
  }

  /** @throws UsageError */
  number(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${name} must be a whole number.`);
    return Number(text);
  }

  list(name: string): readonly string[] {
    return (this.values[name] as string[] | undefined) ?? [];
  }

  has(name: string): boolean {
    return this.values[name] !== undefined;
  }
}

function parsed(args: string[], options: Options) {
  const types = Object.entries(options).map(([name, { value, multiple = false }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return [name, { type, multiple }] as const;
  });
  try {
    return parseArgs({ args, options: Object.fromEntries(types), allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message.replaceAll('\n', ' '));
  }
}
