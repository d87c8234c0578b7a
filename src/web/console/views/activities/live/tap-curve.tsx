import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { momentText } from '../../../words/language';
import type { TapRate } from './taps';
import { words } from '../../../words';

const HEIGHT_PX = 180;
/** The steps of the axis: counts have no fractions. */
const WHOLE = [1, 10, 100, 1_000, 10_000, 100_000].flatMap((n) => [n, 2 * n, 5 * n]);

/** Taps and wins a second, as this page has seen them: no server keeps their history. */
export function TapCurve({ seen }: { readonly seen: readonly TapRate[] }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const isDark = useIsDark();
  const said = words.curve;
  useEffect(() => {
    const place = box.current!;
    const size = () => ({ width: place.clientWidth, height: HEIGHT_PX });
    const made = new uPlot({ ...optionsOf(getComputedStyle(place)), ...size() }, pointsOf(seen), place);
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize(size()));
    watch.observe(place);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [isDark, said]);
  useEffect(() => plot.current?.setData(pointsOf(seen)), [seen]);
  const since = momentText(seen[0]!.atMs);
  const most = Math.max(...seen.map(({ perSecond }) => perSecond ?? 0));
  return (
    <figure class="curve">
      <div ref={box} role="img" aria-label={said.label(most)} />
      <figcaption>{said.caption(since)}</figcaption>
    </figure>
  );
}

const pointsOf = (seen: readonly TapRate[]): uPlot.AlignedData => [
  seen.map(({ atMs }) => atMs / 1000),
  seen.map(({ perSecond }) => perSecond),
  seen.map(({ winsPerSecond }) => winsPerSecond),
];

/** Both curves have one axis, so that wins are never above taps. */
function optionsOf(style: CSSStyleDeclaration): Omit<uPlot.Options, 'width' | 'height'> {
  const colour = (name: string) => style.getPropertyValue(`--${name}`);
  const [taps, wins, line, quiet] = ['refunded', 'credited', 'line', 'quiet'].map(colour);
  const range: uPlot.Scale.Range = (_, __, max) => [0, Math.max(1, max) * 1.1];
  const axis = { grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const value = (_: unknown, count: number | null) => String(count ?? '–');
  const timeOf = (seconds: number) => momentText(seconds * 1000, { timeStyle: 'medium' });
  return {
    cursor: { drag: { setScale: false } },
    scales: { y: { range } },
    axes: [
      { ...axis, stroke: quiet, space: 110, size: 36, values: (_, at) => at.map(timeOf) },
      { ...axis, stroke: quiet, incrs: WHOLE },
    ],
    series: [
      { label: words.common.when, value: (_, at) => (at === null ? '–' : timeOf(at)) },
      { label: words.progress.tapsPerSecond, stroke: taps, width: 2, value },
      { label: words.progress.winsPerSecond, stroke: wins, width: 2, fill: `${wins}33`, value },
    ],
  };
}

const DARK = matchMedia('(prefers-color-scheme: dark)');

function useIsDark(): boolean {
  const [isDark, setDark] = useState(DARK.matches);
  useEffect(() => {
    const change = () => setDark(DARK.matches);
    DARK.addEventListener('change', change);
    return () => DARK.removeEventListener('change', change);
  }, []);
  return isDark;
}
