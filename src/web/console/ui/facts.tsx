import type { ComponentChildren } from 'preact';
import { words } from '../words';
import { amountText, minuteText, momentText } from '../words/language';

interface FactsProps {
  readonly label: string;
  /** Names with their values. Names without a value are not shown. */
  readonly facts: Readonly<Record<string, ComponentChildren>>;
  /** The first is what the page is about. */
  readonly leads?: boolean;
}

/** Figures with their names. */
export function Facts({ label, facts, leads = false }: FactsProps) {
  return (
    <section aria-label={label}>
      <dl class={leads ? 'facts leads' : 'facts'}>
        {Object.entries(facts)
          .filter(([, value]) => value !== undefined && value !== null)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{typeof value === 'string' ? amountText(value) : value}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

/** Formats a time span for people. */
export function spanText(seconds: number): string {
  if (seconds < 1) return words.spans.underASecond;
  if (seconds < 120) return words.spans.seconds(Math.round(seconds));
  return seconds < 7_200
    ? words.spans.minutes(Math.round(seconds / 60))
    : words.spans.hours(Math.round(seconds / 3_600));
}

/** Nothing to show: in lists, phones leave it out. */
export const NONE = <span class="none">–</span>;

interface WhenProps {
  readonly at: string | null;
  readonly toMinute?: boolean;
}

/** An instant in the zone that the reader has chosen. Its tooltip shows the exact one. */
export function When({ at, toMinute = false }: WhenProps) {
  if (at === null) return NONE;
  return (
    <time dateTime={at} title={at}>
      {toMinute ? minuteText(at) : momentText(at)}
    </time>
  );
}
