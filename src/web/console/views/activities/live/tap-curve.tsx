import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import { type Curve, Plot } from '../../../ui/plot';
import { words } from '../../../words';
import { momentText } from '../../../words/language';
import type { TapRate } from './taps';

const timeOf = (seconds: number): string => momentText(seconds * 1000, { timeStyle: 'medium' });

const curves = (): readonly Curve[] => [
  { label: words.progress.winsPerSecond, colour: 'credited', isFilled: true },
  // Where they are as many as the wins, both are seen.
  { label: words.progress.tapsPerSecond, colour: 'pending', isDashed: true },
];

/** Taps and wins a second, as this page has seen them: the history has them by the minute. */
export function TapCurve({ seen }: { readonly seen: readonly TapRate[] }) {
  const lines = useMemo(() => [lineOf(seen)], [seen]);
  const most = Math.max(...seen.map(({ perSecond }) => perSecond ?? 0));
  return (
    <Plot
      curves={curves()}
      lines={lines}
      along={words.common.when}
      placeText={timeOf}
      label={words.curve.label(most)}
      caption={words.curve.caption(momentText(seen[0]!.atMs))}
    />
  );
}

const lineOf = (seen: readonly TapRate[]): uPlot.AlignedData => [
  seen.map(({ atMs }) => atMs / 1000),
  seen.map(({ winsPerSecond }) => winsPerSecond),
  seen.map(({ perSecond }) => perSecond),
];
