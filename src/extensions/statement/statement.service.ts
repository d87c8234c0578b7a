import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Slots } from '../../../libs/slots';
import { busy, type Caller, LongAnswers, notAcceptable } from '../../platform/http';
import { Currencies, type KnownCurrency } from '../../core/currency';
import { Issuing } from './issuing';
import { endOf, type Format, formatsOf, type Issued } from './statement';
import { dayNotOver, statementNotFound, statementOfPlayMoney } from './statement.error';
import { StatementRepository } from './statement.repository';
import { textOf, writingOf } from './texts';

export interface WantedStatement {
  readonly ownerId: string;
  /** UTC. */
  readonly day: string;
  /** The currency in the request; the default if it was left out. */
  readonly currency?: string;
  readonly format: Format;
  readonly caller: Caller;
}

export interface StatementText {
  readonly contentType: string;
  /** A name for the file. */
  readonly name: string;
  readonly digest: Buffer;
  readonly text: AsyncIterable<string>;
}

/** A statement with more movements is read from the database as fast as its reader reads, and takes a slot for it. */
const SHORT_MAX = 1_000;

/** Statements that this process issues or looks up at once, of which users together have half. */
const AT_ONCE_MAX = 6;

/** Writes as fast as its reader reads, until the text ends or the signal aborts it. */
export type Writer = (answer: StatementText, signal: AbortSignal) => Promise<void>;

@Injectable()
export class StatementService {
  private readonly slots = new Slots(AT_ONCE_MAX);

  constructor(
    private readonly repository: StatementRepository,
    private readonly issuing: Issuing,
    private readonly currencies: Currencies,
    private readonly answers: LongAnswers,
  ) {}

  /** @throws dayNotOver, statementNotFound, statementOfPlayMoney, dayArchived, dayTooFar, dayTooLong, notAcceptable, busy */
  async write(
    { ownerId, day, currency: code, format, caller }: WantedStatement,
    write: Writer,
  ): Promise<void> {
    const currency = await this.currencies.named({ currency: code });
    requireWritable(format, currency);
    const issued = await this.slots.run(
      caller.role,
      () => this.statementOf(ownerId, currency, day),
      allIssuing,
    );
    const { contentType, extension } = writingOf(format, issued);
    const answer = (text: AsyncIterable<string>): StatementText => ({
      contentType,
      name: `statement-${issued.accountId}-${day}-${currency.code}.${extension}`,
      digest: issued.digests[format]!,
      text,
    });
    const text = textOf(format, issued, currency, this.repository.pages(issued));
    if (issued.movements <= SHORT_MAX) {
      const chunks: string[] = [];
      for await (const chunk of text) chunks.push(chunk);
      return write(answer(Readable.from(chunks)), new AbortController().signal);
    }
    await this.answers.run(caller, (signal) => write(answer(text), signal));
  }

  /**
   * Issues the day if nobody has asked for it before.
   * @throws dayNotOver, statementNotFound, dayArchived, dayTooFar, dayTooLong
   */
  async statementOf(ownerId: string, currency: KnownCurrency, day: string): Promise<Issued> {
    const today = await this.repository.today();
    if (day >= today)
      throw dayNotOver(`Days are UTC days. This one can be requested from ${endOf(day).toISOString()} on.`);
    const wallet = await this.repository.findWallet(ownerId, currency.code);
    if (!wallet) throw statementNotFound(`There is no wallet in ${currency.code} of this owner.`);
    if (day < wallet.since) throw statementNotFound(`The first day of this wallet is ${wallet.since}.`);
    const known = await this.repository.find(wallet.accountId, day);
    return known ?? this.issuing.issue({ ...wallet, ownerId, currency, day });
  }
}

const allIssuing = () => busy('Other statements are being issued; try again.', { retryAfterSeconds: 1 });

/** Play money first: no format has it. */
function requireWritable(format: Format, currency: KnownCurrency): void {
  if (currency.isPlay) throw statementOfPlayMoney(`${currency.code} is worth nothing.`);
  if (!formatsOf(currency).includes(format))
    throw notAcceptable(
      `Banks do not know ${currency.code}, which is not a currency of ISO 4217: ask for \`json\` or \`csv\`.`,
    );
}
