import { useEffect, useRef, useState } from 'preact/hooks';

const COUNT_MS = 900;
const LOOK_MS = 200;

export const wantsStillness = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Counts up to the next value; at once where users want no motion. */
export function useCountUp(target: number): number {
  const [shown, setShown] = useState(target);
  const from = useRef(target);
  useEffect(() => {
    const start = from.current;
    from.current = target;
    if (start === target || wantsStillness()) return setShown(target);
    const startedAt = performance.now();
    let frame = requestAnimationFrame(function next(now) {
      const part = Math.min(1, Math.max(0, now - startedAt) / COUNT_MS);
      setShown(start + (target - start) * part);
      if (part < 1) frame = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(frame);
  }, [target]);
  return shown;
}

/** Whole seconds of the server's clock. */
export function useSecondsUntil(atMs: number, nowMs: () => number): number {
  const secondsLeft = () => Math.max(0, Math.ceil((atMs - nowMs()) / 1000));
  const [seconds, setSeconds] = useState(secondsLeft);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(secondsLeft()), LOOK_MS);
    return () => clearInterval(timer);
  }, [atMs]);
  return seconds;
}

/** A clock: 4:07, 1:00:00, and with days if there are any. */
export function clockText(seconds: number): string {
  const parts = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ];
  const first = Math.min(
    2,
    parts.findIndex((part) => part > 0) === -1 ? 2 : parts.findIndex((part) => part > 0),
  );
  const [lead, ...rest] = parts.slice(first);
  return [String(lead), ...rest.map((part) => String(part).padStart(2, '0'))].join(':');
}
