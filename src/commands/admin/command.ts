import type { ApiClient, OperationName } from '../../../libs/client';
import type { Fields, Options, Values } from './options';
import type { Terminal } from './terminal';

/** The API's value, for machines, and text for people. */
export interface Found {
  readonly value: unknown;
  readonly text: string;
  /** The command found a problem, which the exit code also reports. */
  readonly isBad?: boolean;
}

/** The operands and options that were typed after a command. */
export interface Typed {
  readonly operands: readonly string[];
  readonly values: Values;
  readonly terminal: Terminal;
}

export interface Command {
  /** What is typed: `activities show <id>`. An operand that ends with `...` may be given many times. */
  readonly call: string;
  readonly help: string;
  readonly options?: Options;
  /** A question that is asked on a terminal first; it may name operands. */
  readonly asks?: string;
  /** Fields of the body that are not typed. */
  readonly body?: Fields;
  /** The columns of a list. */
  readonly columns?: readonly string[];
  /** The operations of the API that it sends. */
  readonly sends: readonly OperationName[];
  /** Undefined when all output has been written already. */
  readonly run: (api: ApiClient, typed: Typed) => Promise<Found | undefined>;
}
