import { words } from '.';

/** In seconds. Names of settings end with their unit. */
const UNITS: Readonly<Record<string, number>> = { Ms: 0.001, Seconds: 1, Hours: 3_600 };

/** Formats a time span that someone has set: exactly, in the largest unit that leaves no rest. */
function settingText(seconds: number): string {
  const { spans } = words;
  if (seconds === 0) return spans.none;
  if (seconds < 1) return spans.milliseconds(Math.round(1_000 * seconds));
  if (seconds % 60 !== 0) return spans.seconds(seconds);
  return seconds % 3_600 === 0 ? spans.hours(seconds / 3_600) : spans.minutes(seconds / 60);
}

/** The value of a setting such as `timeoutMs`, if it is a time span. */
export function spanOf(name: string, value: number): string | undefined {
  const unit = Object.keys(UNITS).find((end) => name.endsWith(end));
  return unit && settingText(value * UNITS[unit]!);
}
