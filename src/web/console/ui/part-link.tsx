import { words } from '../words';
import type { Words } from '../words/en';
import { Link } from './address';

/** The way on from a page that has nothing to show: a button to a part of the console. */
export function PartLink({ part }: { readonly part: keyof Words['navigation']['parts'] }) {
  return (
    <p>
      <Link class="button" to={[part]}>
        {words.navigation.goTo(words.navigation.parts[part])}
      </Link>
    </p>
  );
}
