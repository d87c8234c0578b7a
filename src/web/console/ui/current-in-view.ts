import { type RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Scrolls the current link of a strip to its middle, also after its texts or the width of the screen have changed. */
export function useCurrentInView(strip: RefObject<HTMLElement | null>, texts: string): void {
  useEffect(() => {
    const nav = strip.current!;
    const observer = new ResizeObserver(() => {
      const link = nav.querySelector<HTMLElement>('[aria-current]');
      if (link) nav.scrollLeft = link.offsetLeft - nav.offsetLeft - (nav.offsetWidth - link.offsetWidth) / 2;
    });
    observer.observe(nav);
    return () => observer.disconnect();
  }, [texts]);
}
