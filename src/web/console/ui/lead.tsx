import type { ComponentChildren } from 'preact';
import { grouped } from '../words/language';

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
    const decimals = amount.split('.')[1]?.length ?? 0;
    const minor = (sums.get(currency)?.minor ?? 0n) + BigInt(amount.replace('.', ''));
    sums.set(currency, { minor, decimals });
  }
  const all = [...sums];
  const told = all.filter(([, { minor }]) => minor !== 0n);
  return (told.length > 0 ? told : all.slice(0, 1))
    .map(([currency, { minor, decimals }]) => `${grouped(inUnits(minor, decimals))} ${currency}`)
    .join(' · ');
}

function inUnits(minor: bigint, decimals: number): string {
  if (decimals === 0) return String(minor);
  const digits = String(minor).padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
