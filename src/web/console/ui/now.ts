import { useEffect, useState } from 'preact/hooks';

/** The time by `performance.now()`, drawn anew after each interval. */
export function useNow(everyMs: number): number {
  const [nowMs, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs;
}
