export interface Chart {
  /** The file name without `.svg`. */
  readonly file: string;
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly { readonly name: string; readonly value: number; readonly ours: boolean }[];
}

const WIDTH = 760;
const LABELS = 300;
const VALUES = 110;
const ROW = 26;
const TOP = 48;
const BOTTOM = 32;

const OURS = '#c8102e';
const THEIRS = '#8a8f98';

const round = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });
const escape = (text: string): string =>
  text.replace(/[<>&]/g, (sign) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;' })[sign]!);

/** The colours are readable on a light and on a dark page. */
export function svgOf({ title, unit, bars }: Chart): string {
  const most = Math.max(...bars.map(({ value }) => value));
  const height = TOP + bars.length * ROW + BOTTOM;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(16, 26, title, 'font-size="15" font-weight="bold"'),
    ...bars.flatMap(({ name, value, ours }, i) => {
      const y = TOP + i * ROW;
      const width = Math.max(1, (value / most) * (WIDTH - LABELS - VALUES));
      return [
        text(LABELS - 8, y + 16, name, 'text-anchor="end"'),
        `<rect x="${LABELS}" y="${y + 3}" width="${width.toFixed(1)}" height="${ROW - 8}" fill="${ours ? OURS : THEIRS}"/>`,
        text(LABELS + width + 6, y + 16, round.format(value)),
      ];
    }),
    text(LABELS, height - 12, unit, 'fill="#57606a"'),
    '</svg>',
    '',
  ].join('\n');
}

const text = (x: number, y: number, words: string, more = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${more && ` ${more}`}>${escape(words)}</text>`;
