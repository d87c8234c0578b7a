import { AsyncLocalStorage } from 'node:async_hooks';
import { applyDecorators } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { Currency } from '../../../../libs/money';
import { must } from '../../../../libs/problem';
import { Judged } from './judged';
import { Omittable } from './optional';

/** The currencies in which a request may name amounts. */
export interface NameableCurrencies {
  /** Of requests that name none. */
  readonly default: Currency;
  find(code: string): Promise<Currency | undefined>;
  codes(): Promise<readonly string[]>;
}

interface Named {
  readonly currency?: Currency;
  /** All that there are, if the request has named another. */
  readonly codes?: readonly string[];
}

const CHECK = 'isCurrency';

/** Decorators are evaluated before there is a configuration. */
let currencies: NameableCurrencies = {
  default: new Currency('CNY', 2),
  find: () => Promise.resolve(undefined),
  codes: () => Promise.resolve(['CNY']),
};

const named = new AsyncLocalStorage<Named>();

export function useCurrencies(known: NameableCurrencies): void {
  currencies = known;
}

/** All amounts of a request are in one currency, so they are judged by the field that names it. */
export const currencyOfRequest = (): Currency => named.getStore()?.currency ?? currencies.default;

/** Looks up the currency that a body or a query names, before its fields are judged. Others have no such field. */
export async function judgedByCurrency<T>(input: unknown, dto: unknown, judge: () => Promise<T>): Promise<T> {
  const code = codeIn(input);
  if (code === undefined || code === currencies.default.code || !namesOne(dto)) return judge();
  const currency = typeof code === 'string' ? await currencies.find(code) : undefined;
  return named.run(currency ? { currency } : { codes: await currencies.codes() }, judge);
}

const namingDtos = new WeakMap<object, boolean>();

function namesOne(dto: unknown): boolean {
  if (typeof dto !== 'function') return false;
  const known = namingDtos.get(dto);
  if (known !== undefined) return known;
  const checks = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const names = checks.some(({ propertyName, name }) => propertyName === 'currency' && name === CHECK);
  namingDtos.set(dto, names);
  return names;
}

function codeIn(input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return undefined;
  return (input as { readonly currency?: unknown }).currency;
}

function isNamed(value: unknown): boolean {
  return value === currencies.default.code || value === named.getStore()?.currency?.code;
}

/** A field of a body that names the currency of all amounts in it. */
export const CurrencyField = (description: string): PropertyDecorator =>
  namesCurrency({ example: 'CNY', description });

/** The same in a query, which documents prefill with nothing. */
export const CurrencyQuery = (description: string): PropertyDecorator => namesCurrency({ description });

const namesCurrency = ({
  description,
  ...example
}: {
  description: string;
  example?: string;
}): PropertyDecorator =>
  applyDecorators(
    Omittable({ ...example, description: `${description} The default of the installation when left out.` }),
    Judged(CHECK, (value) =>
      isNamed(value) ? undefined : must.beOneOf(named.getStore()?.codes ?? [currencies.default.code]),
    ),
  );
