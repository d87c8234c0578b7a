import { type RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/**
 * Scrolls the current link of a strip to its middle, also after its texts or the width of the screen have changed.
 * A side fades while there is more of the strip behind it.
 */
export function useCurrentInView(strip: RefObject<HTMLElement | null>, texts: string): void {
  useEffect(() => {
    const nav = strip.current!;
    const fade = () => {
      const right = nav.scrollWidth - nav.clientWidth - nav.scrollLeft;
      for (const [side, hidden] of Object.entries({ left: nav.scrollLeft, right }))
        nav.style.setProperty(`--${side}`, hidden < 1 ? '0%' : '2rem');
    };
    const observer = new ResizeObserver(() => {
      const link = nav.querySelector<HTMLElement>('[aria-current]');
      if (link) nav.scrollLeft = link.offsetLeft - nav.offsetLeft - (nav.offsetWidth - link.offsetWidth) / 2;
      fade();
    });
    observer.observe(nav);
    nav.addEventListener('scroll', fade);
    return () => {
      observer.disconnect();
      nav.removeEventListener('scroll', fade);
    };
  }, [texts]);
}
