import { words } from '../words';
import type { Words } from '../words/en';
import { Link } from './address';

interface PartLinkProps {
  readonly part: keyof Words['navigation']['parts'];
  readonly tab?: keyof Words['payouts']['tabs'];
}

/** The way on from a page that has nothing to show: a button to a part of the console. */
export function PartLink({ part, tab }: PartLinkProps) {
  return (
    <p>
      <Link class="button" to={tab ? [part, tab] : [part]}>
        {words.navigation.goTo(tab ? words.payouts.tabs[tab] : words.navigation.parts[part])}
      </Link>
    </p>
  );
}
