import { Injectable } from '@nestjs/common';
import { type AmountCount, exampleSplit } from '../../../../libs/split';
import { Currency } from '../../../platform/config';
import { splitTerms } from '../split-plan';
import type { SplitPreviewBody, SplitPreviewDto } from './preview.dto';

const BARS_MAX = 20n;

@Injectable()
export class SplitPreviews {
  constructor(private readonly currency: Currency) {}

  /** @throws Problem `request.invalid` naming the field if no split can meet the terms */
  of({ totalAmount, packetCount, split }: SplitPreviewBody): SplitPreviewDto {
    const terms = splitTerms(
      { amount: totalAmount, amountField: 'totalAmount', packetCount, split },
      this.currency,
    );
    const counts = exampleSplit(terms);
    const money = (minor: bigint) => this.currency.format(minor);
    return {
      currency: this.currency.code,
      packets: packetsOf(counts),
      smallest: money(counts[0]!.amountMinor),
      median: money(medianOf(counts)),
      largest: money(counts.at(-1)!.amountMinor),
      bars: barsOf(counts).map(({ from, to, packets }) => ({ from: money(from), to: money(to), packets })),
    };
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
