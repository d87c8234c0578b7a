import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { words } from '../words';
import { timeText } from '../words/language';
import type { Asked } from './asking';
import { useNow } from './now';

const TICK_MS = 250;

/** A polled value is old when the next answer is late, and stale when three of them are missing. */
export type Age = 'fresh' | 'old' | 'stale';

export interface Freshness {
  readonly age: Age;
  /** Since the last answer, or since the page first asked. */
  readonly seconds: number;
}

/** How old a polled value is. Undefined for one that is asked for once. */
export function useFreshness({ valueAtMs, everyMs }: Asked<unknown>): Freshness | undefined {
  const [askedAtMs] = useState(() => performance.now());
  const nowMs = useNow(TICK_MS);
  if (everyMs === undefined) return undefined;
  const ageMs = Math.max(0, nowMs - (valueAtMs ?? askedAtMs));
  return { age: ageOf(ageMs / everyMs), seconds: Math.floor(ageMs / 1_000) };
}

/** In intervals. An answer may take one of them. */
function ageOf(intervals: number): Age {
  if (intervals < 2) return 'fresh';
  return intervals < 3 ? 'old' : 'stale';
}

const clockText = (atMs: number): string => timeText(new Date(performance.timeOrigin + atMs));

/** The instant of figures that nothing keeps up to date. */
export function AsOf({ atMs }: { readonly atMs: number }) {
  return <p class="as-of">{words.common.asOf(clockText(atMs))}</p>;
}

interface PolledProps {
  readonly asked: Asked<unknown>;
  readonly children: ComponentChildren;
}

/** Polled figures with their instant. They turn grey when they are old. */
export function Polled({ asked, children }: PolledProps) {
  const freshness = useFreshness(asked);
  if (!freshness || asked.valueAtMs === undefined) return <>{children}</>;
  const { age, seconds } = freshness;
  const at = clockText(asked.valueAtMs);
  return (
    <div class={`polled ${age}`}>
      <p class="as-of">{age === 'stale' ? words.common.unansweredFor(seconds, at) : words.common.asOf(at)}</p>
      {children}
    </div>
  );
}
