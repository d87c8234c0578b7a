import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';

const NAME = '/console';
const MOVED = 'console.moved';

/**
 * The user's place in the console. All that a view shows follows from its address, so that the
 * address can be sent to others.
 */
export interface Address {
  /** The path below the console, decoded: `/activities/7` is `['activities', '7']`. */
  readonly steps: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** The path of the console, including any path below which another server serves it. */
export const root = (): string => location.pathname.slice(0, location.pathname.indexOf(NAME) + NAME.length);

export function useAddress(): Address {
  const [href, setHref] = useState(location.href);
  useEffect(() => {
    const readHref = () => setHref(location.href);
    // The address may have changed before this listened.
    readHref();
    addEventListener('popstate', readHref);
    addEventListener(MOVED, readHref);
    return () => {
      removeEventListener('popstate', readHref);
      removeEventListener(MOVED, readHref);
    };
  }, []);
  return useMemo(currentAddress, [href]);
}

function currentAddress(): Address {
  const path = location.pathname.slice(root().length);
  const steps = path.split('/').filter(Boolean).map(decodeURIComponent);
  return { steps, query: Object.fromEntries(new URLSearchParams(location.search)) };
}

export function hrefOf(steps: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const search = given.length > 0 ? `?${new URLSearchParams(given).toString()}` : '';
  return [root(), ...steps.map(encodeURIComponent)].join('/') + search;
}

export function go(href: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  dispatchEvent(new Event(MOVED));
}

/** Replaces this part of the query, and stays in the same view. */
export function refine(change: Readonly<Record<string, string>>): void {
  const { steps, query } = currentAddress();
  go(hrefOf(steps, { ...query, ...change }), { replace: true });
}

/** Whether the person may open the page at these steps. */
export const MayOpen = createContext<(steps: readonly string[]) => boolean>(() => true);

interface LinkProps {
  readonly to: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly current?: boolean;
  readonly class?: string;
  readonly 'aria-label'?: string;
  readonly children: ComponentChildren;
}

/**
 * A link within the console, which a browser can also open in another tab. It is only its text, and a button
 * is nothing, to a person who may not open what it leads to.
 */
export function Link({ to, query, current = false, children, ...rest }: LinkProps) {
  const mayOpen = useContext(MayOpen);
  if (!mayOpen(to)) return rest.class === undefined ? <>{children}</> : null;
  const href = hrefOf(to, query);
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    go(href);
  };
  return (
    <a {...rest} href={href} onClick={follow} aria-current={current ? 'page' : undefined}>
      {children}
    </a>
  );
}
