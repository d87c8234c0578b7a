import { useEffect, useState } from 'preact/hooks';

/** The time by `performance.now()`, redrawn after each interval. */
export function useNow(everyMs: number): number {
  const [nowMs, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs;
}
