const HEX = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i;

/** The least ratio for text of ordinary size: WCAG 2.2, success criterion 1.4.3. */
export const CONTRAST_MIN = 4.5;

export const isColor = (value: unknown): value is string => typeof value === 'string' && HEX.test(value);

/** The ratio of two colours as WCAG 2.2 defines it, from 1 to 21. */
export function contrast(color: string, other: string): number {
  const [darker, lighter] = [luminance(color), luminance(other)].sort((a, b) => a - b);
  return (lighter! + 0.05) / (darker! + 0.05);
}

/** The relative luminance of WCAG 2.2, whose formula has these factors. */
function luminance(color: string): number {
  const [red, green, blue] = HEX.exec(color)!.slice(1).map(linear);
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function linear(hex: string): number {
  const part = Number.parseInt(hex, 16) / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}
