/** A picture for docs/performance.md. All figures are in the unit of the axis. */
export interface Chart {
  /** File name without `.svg`. */
  readonly file: string;
  readonly title: string;
  readonly drawing: Bars | Lines;
}

export interface Bars {
  readonly kind: 'bars';
  readonly unit: string;
  readonly bars: readonly { readonly name: string; readonly value: number; readonly ours?: boolean }[];
}

export interface Lines {
  readonly kind: 'lines';
  readonly xUnit: string;
  readonly yUnit: string;
  /** For steps that are factors, such as 10, 10,000, 100,000. */
  readonly xLogarithmic?: boolean;
  readonly lines: readonly {
    readonly name: string;
    readonly points: readonly (readonly [number, number])[];
  }[];
}

const WIDTH = 760;
const LABELS = 300;
const VALUES = 110;
const ROW = 26;
const TOP = 48;
const BOTTOM = 40;
const PLOT_HEIGHT = 260;
const LEFT = 80;
const LEGEND = 190;
const TICKS = 4;

const OURS = '#c8102e';
const THEIRS = '#8a8f98';
const COLORS = [OURS, '#1f6feb', '#2da44e', '#bf8700', '#8250df', '#57606a'];

const round = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });
const escape = (text: string): string =>
  text.replace(/[<>&]/g, (sign) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;' })[sign]!);

/** Readable on a light and on a dark page. */
export function svgOf({ title, drawing }: Chart): string {
  const { height, body } = drawing.kind === 'bars' ? bars(drawing) : lines(drawing);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(16, 26, title, 'font-size="15" font-weight="bold"'),
    ...body,
    '</svg>',
    '',
  ].join('\n');
}

interface Drawn {
  readonly height: number;
  readonly body: string[];
}

function bars({ bars, unit }: Bars): Drawn {
  const most = Math.max(...bars.map(({ value }) => value));
  const room = WIDTH - LABELS - VALUES;
  const body = bars.flatMap(({ name, value, ours }, i) => {
    const y = TOP + i * ROW;
    const width = Math.max(1, (value / most) * room);
    return [
      text(LABELS - 8, y + 16, name, 'text-anchor="end"'),
      `<rect x="${LABELS}" y="${y + 3}" width="${width.toFixed(1)}" height="${ROW - 8}" fill="${ours ? OURS : THEIRS}"/>`,
      text(LABELS + width + 6, y + 16, round.format(value)),
    ];
  });
  const height = TOP + bars.length * ROW + BOTTOM - 8;
  return { height, body: [...body, text(LABELS, height - 12, unit, 'fill="#57606a"')] };
}

function lines({ lines, xUnit, yUnit, xLogarithmic = false }: Lines): Drawn {
  const points = lines.flatMap((line) => line.points);
  const along = (x: number) => (xLogarithmic ? Math.log(x) : x);
  const from = Math.min(...points.map(([x]) => along(x)));
  const to = Math.max(...points.map(([x]) => along(x)));
  const most = Math.max(...points.map(([, y]) => y)) * 1.05 || 1;
  const right = WIDTH - LEGEND;
  const xOf = (x: number) => LEFT + ((along(x) - from) / (to - from || 1)) * (right - LEFT);
  const yOf = (y: number) => TOP + PLOT_HEIGHT - (y / most) * PLOT_HEIGHT;
  const ticks = Array.from({ length: TICKS + 1 }, (_, i) => (most / TICKS) * i);
  const marks = [...new Set(points.map(([x]) => x))].sort((a, b) => a - b);
  const labelled = marks.filter((_, i) => i % Math.ceil(marks.length / 8) === 0);
  return {
    height: TOP + PLOT_HEIGHT + 56,
    body: [
      ...ticks.flatMap((y) => [
        `<line x1="${LEFT}" x2="${right}" y1="${yOf(y)}" y2="${yOf(y)}" stroke="#d0d7de"/>`,
        text(LEFT - 8, yOf(y) + 4, round.format(y), 'text-anchor="end" fill="#57606a"'),
      ]),
      ...labelled.map((x) =>
        text(xOf(x), TOP + PLOT_HEIGHT + 18, round.format(x), 'text-anchor="middle" fill="#57606a"'),
      ),
      ...lines.flatMap(({ name, points: own }, i) => {
        const color = COLORS[i % COLORS.length]!;
        const path = own.map(([x, y]) => `${xOf(x).toFixed(1)},${yOf(y).toFixed(1)}`).join(' ');
        return [
          `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>`,
          ...own.map(
            ([x, y]) => `<circle cx="${xOf(x).toFixed(1)}" cy="${yOf(y).toFixed(1)}" r="3" fill="${color}"/>`,
          ),
          `<rect x="${right + 16}" y="${TOP + i * 20}" width="10" height="10" fill="${color}"/>`,
          text(right + 32, TOP + 10 + i * 20, name),
        ];
      }),
      text(LEFT, TOP + PLOT_HEIGHT + 42, `${yUnit}, by ${xUnit}`, 'fill="#57606a"'),
    ],
  };
}

const text = (x: number, y: number, words: string, more = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${more && ` ${more}`}>${escape(words)}</text>`;
