import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { useModule } from '../../kit/use-module';
import { words } from '../words';

/** Low enough for a phone, and in proportion on a large screen. */
const heightPx = (widthPx: number): number => Math.round(Math.min(320, Math.max(180, widthPx / 2.3)));

/** The steps of the axis: counts have no fractions. */
const WHOLE = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000].flatMap((n) => [n, 2 * n, 5 * n]);

export interface Curve {
  readonly label: string;
  /** The name of a colour of the stylesheet. */
  readonly colour: string;
  readonly isFilled?: boolean;
  readonly isThin?: boolean;
  readonly isDashed?: boolean;
}

interface PlotProps {
  readonly curves: readonly Curve[];
  /** For each source of figures, the places of its points on the first axis, and those of its curves on the second. */
  readonly lines: readonly uPlot.AlignedData[];
  /** The name of the first axis. */
  readonly along: string;
  readonly placeText: (place: number) => string;
  /** The first axis has whole numbers, not seconds since 1970. */
  readonly isCounted?: boolean;
  /** Says to those who cannot see it what it shows. */
  readonly label: string;
  readonly caption: string;
}

/** Draws counts. All curves have one axis, so that wins are never above taps. */
export function Plot({ curves, lines, along, placeText, isCounted = false, label, caption }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  // Most views have no curves, so what draws them is loaded with the first curve.
  const { module, isMissing } = useModule(() => import('uplot'));
  const UPlot = module?.default;
  const points = useMemo(() => UPlot?.join([...lines]), [UPlot, lines]);
  const isDark = useIsDark();
  useEffect(() => {
    if (UPlot === undefined) return undefined;
    const place = box.current!;
    const size = () => ({ width: place.clientWidth, height: heightPx(place.clientWidth) });
    const options = optionsOf(getComputedStyle(place), { curves, along, placeText, isCounted });
    const made = new UPlot({ ...options, ...size() }, points, place);
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize(size()));
    watch.observe(place);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [UPlot, isDark, words, curves.length]);
  useEffect(() => {
    const made = plot.current;
    if (points) made?.setData(points);
    if ((made?.cursor.idx ?? null) === null) made?.setLegend({ idx: null as unknown as number });
  }, [points]);
  return (
    <figure class="curve">
      <div ref={box} role="img" aria-label={label} class={module || isMissing ? undefined : 'skeleton'} />
      {isMissing && <p role="alert">{words.plot.missing}</p>}
      <figcaption>{caption}</figcaption>
    </figure>
  );
}

function optionsOf(
  style: CSSStyleDeclaration,
  { curves, along, placeText, isCounted }: Pick<PlotProps, 'curves' | 'along' | 'placeText' | 'isCounted'>,
): Omit<uPlot.Options, 'width' | 'height'> {
  const colourOf = (name: string) => style.getPropertyValue(`--${name}`);
  const [line, quiet] = ['line', 'quiet'].map(colourOf);
  const range: uPlot.Scale.Range = (_, __, max) => [0, Math.max(1, max) * 1.1];
  const axis = { grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  return {
    cursor: { drag: { setScale: false } },
    scales: { x: { time: !isCounted }, y: { range } },
    axes: [
      {
        ...axis,
        ...(isCounted && { incrs: WHOLE }),
        stroke: quiet,
        space: 110,
        size: 36,
        values: (_, at) => at.map(placeText),
      },
      { ...axis, stroke: quiet, incrs: WHOLE },
    ],
    series: [
      // Without a pointer, the axis says it.
      { label: along, value: (_, at) => (at === null ? '' : placeText(at)) },
      ...curves.map(({ label, colour, isFilled, isThin, isDashed }) => ({
        label,
        stroke: colourOf(colour),
        width: isThin ? 1 : 2,
        fill: isFilled ? `${colourOf(colour)}33` : undefined,
        dash: isDashed ? [8, 6] : undefined,
        value: (plot: uPlot, count: number | null, series: number, place: number | null) =>
          place === null ? words.plot.most(mostOf(plot.data[series]!)) : String(count ?? '–'),
      })),
    ],
  };
}

const mostOf = (counts: ArrayLike<number | null | undefined>): number =>
  Array.from(counts).reduce<number>((most, count) => Math.max(most, count ?? 0), 0);

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
