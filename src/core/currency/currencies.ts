import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import { invariant } from '../../../libs/invariant';
import { type Currency, currencyDigits, isCurrencyCode } from '../../../libs/money';
import { must } from '../../../libs/problem';
import { AppConfig } from '../../platform/config';
import { invalidField, type NameableCurrencies, useCurrencies } from '../../platform/http';
import { currencyNumberOf } from './account-currency';
import { currencyExists, tooManyCurrencies } from './currency.error';
import { CurrencyRepository } from './currency.repository';
import { type CurrencyFacts, KnownCurrency } from './known-currency';

/** How many activities' currencies, which never change, a process remembers. */
const ACTIVITIES_MAX = 10_000;

const CURRENCIES_MAX = 1_000;

/** The currency that a request names, or leaves out. */
interface Naming {
  readonly currency?: string;
}

/**
 * The currencies of this installation. Code that writes or reads an amount asks for the currency of its row, by
 * its code or by the account of the amount. Currencies never change, so each process reads each of them once.
 *
 * @example
 * const currency = await this.currencies.of(activity.currency);
 * return { amount: currency.format(activity.totalMinor), currency: currency.code };
 */
@Injectable()
export class Currencies implements OnModuleInit, NameableCurrencies {
  /** The currency of requests that name none. */
  readonly default: KnownCurrency;
  private readonly byCode = new Map<string, KnownCurrency>();
  private readonly byNumber = new Map<number, KnownCurrency>();
  private readonly byActivity = new LRUCache<string, KnownCurrency>({
    max: ACTIVITIES_MAX,
    fetchMethod: async (activityId) => {
      const code = await this.repository.codeOfActivity(activityId);
      return code === undefined ? undefined : this.of(code);
    },
  });

  constructor(
    private readonly repository: CurrencyRepository,
    { CURRENCY: code }: AppConfig,
  ) {
    const decimals = currencyDigits(code);
    this.default = this.keep({ number: 0, code, kind: 'money', decimals, name: moneyName(code) });
    useCurrencies(this);
  }

  /** Reads all, so that no transaction needs a second connection for one. Those added later are read when they are used. */
  async onModuleInit(): Promise<void> {
    await this.enterDefault();
    for (const facts of await this.repository.list()) if (!this.byNumber.has(facts.number)) this.keep(facts);
  }

  /** @throws Error with one line if the data was written with another default */
  async enterDefault(): Promise<void> {
    await this.repository.enterDefault({ ...this.default, decimals: this.default.digits });
    const stored = await this.repository.findByNumber(0);
    const { code, digits } = this.default;
    if (stored?.code !== code)
      throw new Error(`CURRENCY is ${code}, but this data was written with ${stored?.code}.`);
    if (stored.decimals !== digits)
      throw new Error(`${code} has ${digits} decimals, but this data was written with ${stored.decimals}.`);
  }

  /** The currency of a row that names this code. */
  async of(code: string): Promise<KnownCurrency> {
    const currency = await this.find(code);
    invariant(currency, () => `A row names the currency ${code}, which is not there.`);
    return currency;
  }

  /** The currency of an account. */
  async ofAccount(accountId: string): Promise<KnownCurrency> {
    const number = currencyNumberOf(accountId);
    const known = this.byNumber.get(number);
    if (known) return known;
    const facts = await this.repository.findByNumber(number);
    invariant(facts, () => `Account ${accountId} has currency ${number}, which is not there.`);
    return this.keep(facts);
  }

  /** The currency of the packets of an activity. */
  async ofActivity(activityId: string): Promise<KnownCurrency> {
    const currency = await this.byActivity.fetch(activityId);
    invariant(currency, () => `There is no activity ${activityId}.`);
    return currency;
  }

  /** Remembers the currencies of activities that were read for another reason, to save queries. */
  async remember(activities: readonly { readonly id: string; readonly currency: string }[]): Promise<void> {
    for (const { id, currency } of activities) this.byActivity.set(id, await this.of(currency));
  }

  /** For facts that stay as they always were if nobody has named a currency. */
  unlessDefault({ code }: Currency): string | undefined {
    return code === this.default.code ? undefined : code;
  }

  /** The currency that a request names, whose fields were judged. */
  async named({ currency: code }: Naming): Promise<KnownCurrency> {
    return code === undefined ? this.default : this.of(code);
  }

  /**
   * For deeds by which people move units in and out, or limit them.
   * @throws Problem `request.invalid` naming the field `currency`, if nobody moves its units by hand
   */
  async namedByHand(naming: Naming): Promise<KnownCurrency> {
    const currency = await this.named(naming);
    if (!currency.isBacked) return currency;
    const others = (await this.repository.list()).map((facts) => new KnownCurrency(facts));
    const codes = others.filter(({ isBacked }) => !isBacked).map(({ code }) => code);
    const why = currency.isPlay
      ? 'which is worth nothing'
      : 'whose units come and go only with what they stand for';
    throw invalidField('currency', must.beOneOf(codes, `must not be ${currency.code}, ${why}`));
  }

  /**
   * @param noun the thing that the amounts are for, whose currency it is
   * @throws Problem `request.invalid` naming the field, if the request names another currency
   */
  requireNamed(
    { currency: code = this.default.code }: Naming,
    { code: right }: Currency,
    noun: string,
  ): void {
    if (code !== right)
      throw invalidField('currency', must.beOneOf([right], `must be ${right}, the currency of this ${noun}`));
  }

  /**
   * Adds a currency that requests may name once this transaction is committed.
   * @throws currencyExists, tooManyCurrencies
   */
  async add(tx: EntityManager, facts: Omit<CurrencyFacts, 'number'>): Promise<void> {
    const all = await this.repository.lock(tx);
    if (all.some(({ code }) => code === facts.code))
      throw currencyExists(`There is a currency ${facts.code}, and none is ever changed or deleted.`);
    if (all.length >= CURRENCIES_MAX) throw tooManyCurrencies(`There may be ${CURRENCIES_MAX}.`);
    await this.repository.insert(tx, { ...facts, number: all.at(-1)!.number + 1 });
  }

  /** Adds a currency unless there is one with this code. */
  enter(facts: Omit<CurrencyFacts, 'number'>): Promise<void> {
    return this.repository.enter(facts);
  }

  /** @param code any text: Postgres does not accept every text */
  async find(code: string): Promise<KnownCurrency | undefined> {
    const known = this.byCode.get(code);
    if (known || !isCurrencyCode(code)) return known;
    const facts = await this.repository.findByCode(code);
    return facts && this.keep(facts);
  }

  async codes(): Promise<string[]> {
    return (await this.repository.list()).map(({ code }) => code);
  }

  private keep(facts: CurrencyFacts): KnownCurrency {
    const currency = new KnownCurrency(facts);
    this.byCode.set(currency.code, currency);
    this.byNumber.set(currency.number, currency);
    return currency;
  }
}

/** The English name, stored in `currency` for people who read tables. */
export const moneyName = (code: string): string =>
  new Intl.DisplayNames(['en'], { type: 'currency' }).of(code) ?? code;
