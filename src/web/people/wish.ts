import type { Schema } from '../../../libs/client';
import { decimalsOf } from '../kit/money';

/** The input of the form. */
export interface Wish {
  readonly split: 'random' | 'equal';
  /** The amount of all packets, or of each if all are equal. */
  readonly amount: string;
  readonly count: string;
  readonly greeting: string;
  readonly sender: string;
  readonly whom: 'link' | 'people' | 'password';
  readonly people: string;
  readonly password: string;
  readonly currency: string;
}

export const NO_WISH: Wish = {
  ...{ split: 'random', amount: '', count: '', greeting: '', sender: '', whom: 'link' },
  ...{ people: '', password: '', currency: '' },
};

/** The fields of the form, by the names of the API. A fault of any other field is shown below the form. */
const FIELDS: readonly (readonly [RegExp, keyof Wish])[] = [
  [/^(totalAmount|amount|split)/, 'amount'],
  [/^packetCount/, 'count'],
  [/^(name|theme\.greeting)/, 'greeting'],
  [/^theme\.sender/, 'sender'],
  [/^audience\.userIds/, 'people'],
  [/^audience\.password/, 'password'],
  [/^currency/, 'currency'],
];

export const fieldOf = (path: string): keyof Wish | undefined =>
  FIELDS.find(([pattern]) => pattern.test(path))?.[1];

/** Exact, whatever the number of decimals. Undefined while one of them is not a number. */
export function times(amount: string, count: string): string | undefined {
  const [, whole, part = ''] = /^(\d+)(?:\.(\d+))?$/.exec(amount.trim()) ?? [];
  if (whole === undefined || !/^\d+$/.test(count.trim())) return undefined;
  const digits = String(BigInt(whole + part) * BigInt(count)).padStart(part.length + 1, '0');
  return part === '' ? digits : `${digits.slice(0, -part.length)}.${digits.slice(-part.length)}`;
}

/** An amount with the decimals of a wallet, by its balance. */
export const exampleAmount = (balance = '0.00'): string => (50).toFixed(decimalsOf(balance));

export const totalOf = ({ split, amount, count }: Wish): string =>
  (split === 'equal' ? times(amount, count) : undefined) ?? amount.trim();

export function creationOf(wish: Wish, defaultGreeting: string): Schema<'CreateActivityBody'> {
  const greeting = wish.greeting.trim() || defaultGreeting;
  const sender = wish.sender.trim();
  return {
    name: greeting,
    totalAmount: totalOf(wish),
    packetCount: Number(wish.count),
    currency: wish.currency || undefined,
    split: { kind: wish.split },
    theme: { greeting, ...(sender && { sender }) },
    audience: audienceOf(wish),
  };
}

function audienceOf({ whom, people, password }: Wish): Schema<'CreateActivityBody'>['audience'] {
  if (whom === 'people') return { kind: whom, userIds: people.split(/[\s,，、]+/).filter((id) => id !== '') };
  return whom === 'password' ? { kind: whom, password } : { kind: whom };
}
