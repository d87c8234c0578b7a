import { useEffect } from 'preact/hooks';
import type { Activity } from './player';

type Theme = NonNullable<Activity['theme']>;
type Colors = NonNullable<Theme['colors']>;

const namesOf = ({ background, foreground, accent }: Colors): readonly (readonly [string, string])[] => [
  ['--sky', background],
  ['--sky-deep', background],
  ['--card', background],
  ['--gold-text', background],
  ['--text', foreground],
  ['--gold', accent],
  ['--edge', accent],
];

/**
 * Replaces our colours with the sponsor's. The API has checked that they are readable on one background, so
 * elements that are usually translucent are opaque here.
 */
export function useColors(theme: Theme | null | undefined): void {
  const colors = theme?.colors;
  useEffect(() => {
    if (!colors) return;
    const { style } = document.documentElement;
    const names = namesOf(colors);
    for (const [name, color] of names) style.setProperty(name, color);
    return () => names.forEach(([name]) => style.removeProperty(name));
  }, [colors?.background, colors?.foreground, colors?.accent]);
}

interface BlessingProps {
  readonly activity: Activity;
  /** The address of the API, which serves the logo. */
  readonly api: string;
}

/** The sponsor's text on the packet. */
export function Blessing({ activity: { theme, logo }, api }: BlessingProps) {
  if (!logo && !theme?.sender && !theme?.greeting) return null;
  return (
    <div class="blessing">
      {logo && <img src={logo.startsWith('data:') ? logo : api + logo} alt="" />}
      {theme?.sender && <p class="sender">{theme.sender}</p>}
      {theme?.greeting && <p>{theme.greeting}</p>}
    </div>
  );
}
