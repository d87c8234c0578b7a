import { useRef } from 'preact/hooks';
import { Link } from './address';
import { useCurrentInView } from './current-in-view';

interface TabsProps {
  readonly label: string;
  /** The page. */
  readonly of: readonly string[];
  /** Titles by the step that each tab adds to the address of the page: none for the first. */
  readonly tabs: Readonly<Record<string, string>>;
  readonly current: string;
  /** How many things of a tab wait for a person. */
  readonly counts?: Readonly<Record<string, number>>;
}

/** The parts of a page, one of which is shown. */
export function Tabs({ label, of, tabs, current, counts = {} }: TabsProps) {
  const strip = useRef<HTMLElement>(null);
  useCurrentInView(strip, [current, ...Object.values(tabs)].join());
  return (
    <nav ref={strip} class="row tabs" aria-label={label}>
      {Object.entries(tabs).map(([step, title]) => (
        <Link key={step} to={step === '' ? of : [...of, step]} current={step === current}>
          {title}
          {counts[step] ? <span class="count">{counts[step]}</span> : null}
        </Link>
      ))}
    </nav>
  );
}
