import type { ComponentChildren } from 'preact';
import { amountOf, decimalsOf, minorOf } from '../../kit/money';
import { moneyText } from '../words/language';

interface LeadProps {
  readonly figure: string;
  /** What it is the figure of. */
  readonly children: ComponentChildren;
}

/** What the rows of a list come to, before the rows. */
export function Lead({ figure, children }: LeadProps) {
  return (
    <p class="lead">
      <strong>{figure}</strong> <span>{children}</span>
    </p>
  );
}

interface Money {
  readonly amount: string;
  readonly currency: string;
}

/** The sum in each currency. Nothing is said of a currency that comes to nothing, unless all do. */
export function sumText(rows: readonly Money[]): string {
  const sums = new Map<string, { minor: bigint; decimals: number }>();
  for (const { amount, currency } of rows) {
    const minor = (sums.get(currency)?.minor ?? 0n) + minorOf(amount);
    sums.set(currency, { minor, decimals: decimalsOf(amount) });
  }
  const all = [...sums];
  const told = all.filter(([, { minor }]) => minor !== 0n);
  return (told.length > 0 ? told : all.slice(0, 1))
    .map(([currency, { minor, decimals }]) => moneyText(amountOf(minor, decimals), currency))
    .join(' · ');
}
