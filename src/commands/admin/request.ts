import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import {
  type ApiClient,
  type OperationName,
  type Operations,
  type Route,
  ROUTES,
  type Schema,
} from '../../../libs/client';
import type { Command, Found, Typed } from './command';
import { type Fields, fieldsOf, type Options, UsageError } from './options';
import { PROGRAM } from './program-name';
import { pageText, recordText } from './views';

/** The body of a success; where its status decides which one, either. */
type AnswerOf<Name extends OperationName> =
  Awaited<ReturnType<Operations[Name]>> extends infer A
    ? A extends { readonly status: number; readonly body: infer Body }
      ? Body
      : A
    : never;

type ItemOf<A> = A extends { readonly items: readonly (infer Item)[] } ? Item : never;

interface Declaration<A> extends Pick<Command, 'call' | 'help' | 'options' | 'asks' | 'body'> {
  readonly columns?: readonly (keyof ItemOf<A> & string)[];
  /** Text of an answer that is neither a list nor a few fields. */
  readonly shows?: (answer: A) => string;
  readonly isBad?: (answer: A) => boolean;
  /** Completes the body. @throws UsageError */
  readonly completed?: (body: Fields, typed: Typed) => Fields;
  /** Sends the body, if another request goes before it. Returns what the operation does. */
  readonly sent?: (api: ApiClient, body: Fields, typed: Typed) => Promise<{ readonly body: unknown }>;
  /** A POST that changes nothing does not take a key. */
  readonly changesNothing?: true;
}

export const KEY_OPTION: Options = {
  key: {
    value: '<key>',
    help: 'an Idempotency-Key of your own: repeated with it, the command has one effect',
  },
};

const BODY_OPTION: Options = {
  body: {
    value: '<file>',
    help: 'a file of JSON, or - for standard input, with the whole body; options replace its fields',
  },
};

/** Returns a command that sends one request. Its operands fill the path; options are its query or its body. */
export function request<Name extends OperationName>(
  name: Name,
  declaration: Declaration<AnswerOf<Name>>,
): Command {
  const { call, help, asks, body, columns, options = {} } = declaration;
  const [method, , input, told]: Route = ROUTES[name];
  const takesKey = method === 'post' && !declaration.changesNothing;
  const takesBody = input === 'body' && Object.keys(options).length > 0;
  return {
    call,
    help,
    asks,
    body,
    columns,
    sends: [name],
    options: { ...options, ...(takesBody && BODY_OPTION), ...(takesKey && KEY_OPTION) },
    run: async (api, typed) => {
      const fields = fieldsOf(options, typed.values);
      const sent = input === 'body' ? await bodyOf(fields, declaration, typed) : fields;
      const given = [...typed.operands, ...(input ? [sent] : []), { key: typed.values.key }];
      const send = api[name] as (...given: unknown[]) => Promise<unknown>;
      const answer = await (declaration.sent?.(api, sent ?? {}, typed) ?? send.call(api, ...given));
      const value = told === 'status' ? (answer as { body: unknown }).body : answer;
      return foundOf(value as AnswerOf<Name>, declaration);
    },
  };
}

async function bodyOf(
  typedFields: Fields,
  { body, completed }: Pick<Declaration<never>, 'body' | 'completed'>,
  typed: Typed,
): Promise<Fields | undefined> {
  const file = typed.values.body as string | undefined;
  const fields = { ...(file !== undefined && (await fileOf(file, typed))), ...body, ...typedFields };
  const whole = completed === undefined ? fields : completed(fields, typed);
  return Object.keys(whole).length > 0 ? whole : undefined;
}

async function fileOf(file: string, { terminal }: Typed): Promise<Fields> {
  const body = parsed(await contentOf(file, terminal.stdin), file);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new UsageError(`--body ${file} must hold a JSON object.`);
  return body as Fields;
}

async function contentOf(file: string, stdin: NodeJS.ReadableStream): Promise<string> {
  if (file === '-') return text(stdin);
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--body ${file} cannot be read: ${error.code}.`);
  });
}

function parsed(content: string, file: string): unknown {
  try {
    return JSON.parse(content) as unknown;
  } catch {
    throw new UsageError(`--body ${file} is not JSON.`);
  }
}

function foundOf<A>(answer: A, { columns, shows, isBad }: Declaration<A>): Found {
  return { value: answer ?? null, text: textOf(answer, columns, shows), isBad: isBad?.(answer) ?? false };
}

function textOf<A>(
  answer: A,
  columns: readonly string[] | undefined,
  shows: ((answer: A) => string) | undefined,
): string {
  if (answer === undefined) return 'Done.';
  if (isPending(answer)) return `${recordText(answer)}\n\n${approvalText(answer)}`;
  if (shows) return shows(answer);
  if (columns) return pageText(answer as { items: object[] }, columns);
  return recordText(answer as object);
}

/** An answer of 202: the request waits for a second person. */
const isPending = (answer: unknown): answer is Schema<'ApprovalDto'> =>
  typeof answer === 'object' &&
  answer !== null &&
  'askedBy' in answer &&
  (answer as Schema<'ApprovalDto'>).status === 'pending';

const approvalText = ({ id, amount, currency }: Schema<'ApprovalDto'>): string =>
  `Nothing has been done yet: ${amount} ${currency} wait for a second person, who decides by one of\n` +
  `  ${PROGRAM} approvals approve ${id}\n  ${PROGRAM} approvals reject ${id}`;
