import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type AmountCount, exampleSplit, packetBounds, type SplitTerms } from '../../../../libs/split';
import { Currencies, type KnownCurrency } from '../../currency';
import { CreditOutlet } from '../../outlet';
import { splitTerms } from '../split-plan';
import type { SplitPreviewBody, SplitPreviewDto } from './preview.dto';

const BARS_MAX = 20n;

@Injectable()
export class SplitPreviews {
  constructor(
    private readonly outlet: CreditOutlet,
    private readonly currencies: Currencies,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /**
   * @throws Problem `request.invalid` naming the field if no split can meet the terms, the problems of
   * the outlet
   */
  async previewSplit({
    totalAmount,
    currency: code,
    packetCount,
    split,
    payout,
  }: SplitPreviewBody): Promise<SplitPreviewDto> {
    const currency = await this.currencies.named({ currency: code });
    const terms = splitTerms(
      { amount: totalAmount, amountField: 'totalAmount', packetCount, split },
      currency,
    );
    const counts = exampleSplit(terms);
    const money = (minor: bigint) => currency.format(minor);
    return {
      currency: currency.code,
      packets: packetsOf(counts),
      smallest: money(counts[0]!.amountMinor),
      median: money(medianOf(counts)),
      largest: money(counts.at(-1)!.amountMinor),
      bars: barsOf(counts).map(({ from, to, packets }) => ({ from: money(from), to: money(to), packets })),
      payout: payout && (await this.estimateOf(terms, currency, payout)),
    };
  }

  private estimateOf(
    terms: SplitTerms,
    currency: KnownCurrency,
    outletTerms: object,
  ): Promise<object | undefined> {
    return this.dataSource.transaction(async (tx) => {
      const { totalMinor } = terms;
      await this.outlet.requireOpenable(tx, outletTerms, { ...packetBounds(terms), totalMinor, currency });
      return this.outlet.estimate(tx, outletTerms, terms);
    });
  }
}

const packetsOf = (counts: readonly AmountCount[]): number =>
  counts.reduce((sum, { count }) => sum + count, 0);

function medianOf(counts: readonly AmountCount[]): bigint {
  let before = 0;
  const half = packetsOf(counts) / 2;
  return counts.find(({ count }) => (before += count) >= half)!.amountMinor;
}

function barsOf(counts: readonly AmountCount[]): { from: bigint; to: bigint; packets: number }[] {
  const smallest = counts[0]!.amountMinor;
  const range = counts.at(-1)!.amountMinor - smallest + 1n;
  const width = (range + BARS_MAX - 1n) / BARS_MAX;
  const bars = Array.from({ length: Number((range + width - 1n) / width) }, (_, i) => {
    const from = smallest + BigInt(i) * width;
    return { from, to: from + width - 1n, packets: 0 };
  });
  for (const { amountMinor, count } of counts)
    bars[Number((amountMinor - smallest) / width)]!.packets += count;
  return bars;
}
