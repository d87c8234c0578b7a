import { useEffect, useRef, useState } from 'preact/hooks';
import { keep, kept } from '../../../kit/kept';
import { words } from '../../words';
import type { Sign } from './sign';
import { Siren } from './siren';

const WAYS = ['sound', 'message'] as const;
type Way = (typeof WAYS)[number];

const nameOf = (way: Way): string => `hongbao.wall.${way}`;
const isOn = (way: Way): boolean => kept(nameOf(way)) === 'on';

/**
 * Buttons that make the wall call people, each remembered by the browser. A sound and a message come once
 * for each sign that turns red. The message goes when what it names is well again.
 */
export function Alarm({ signs }: { readonly signs: readonly Sign[] }) {
  const [siren] = useState(() => new Siren());
  const [on, setOn] = useState<Readonly<Record<Way, boolean>>>(() => ({
    sound: isOn('sound'),
    message: isOn('message') && mayNotify(),
  }));
  useTurnedRed(signs, on, siren);
  const [isDenied, setDenied] = useState(false);
  const toggle = async (way: Way) => {
    const isWanted = !on[way] && (way === 'sound' ? await siren.arm() : await askToNotify());
    keep(nameOf(way), isWanted ? 'on' : undefined);
    setOn((before) => ({ ...before, [way]: isWanted }));
    if (way === 'message') setDenied(!isWanted && !on.message);
  };
  const isArmed = useIsArmed(siren, on.sound);
  return (
    <>
      {WAYS.map((way) => (
        <button key={way} aria-pressed={on[way]} onClick={() => void toggle(way)}>
          {words.signs.alarm[way]}
        </button>
      ))}
      {on.sound && !isArmed && <small role="status">{words.signs.alarm.touch}</small>}
      {isDenied && <small role="status">{words.signs.alarm.denied}</small>}
    </>
  );
}

const mayNotify = (): boolean => typeof Notification !== 'undefined' && Notification.permission === 'granted';

/** Only a click may ask for it. */
const askToNotify = async (): Promise<boolean> =>
  typeof Notification !== 'undefined' && (await Notification.requestPermission()) === 'granted';

/** A newly opened browser plays no sound before it is touched. */
function useIsArmed(siren: Siren, isWanted: boolean): boolean {
  const [isArmed, setArmed] = useState(siren.isArmed);
  useEffect(() => {
    const arm = () => void siren.arm().then(setArmed);
    if (isWanted) arm();
    addEventListener('pointerdown', arm);
    return () => removeEventListener('pointerdown', arm);
  }, [siren, isWanted]);
  return isArmed || siren.isArmed;
}

/** It replaces the one before. */
function messageAbout(signs: readonly Sign[]): Notification {
  const body = signs.map(({ text }) => text).join('\n');
  return new Notification(words.signs.alarm.red, { body, tag: 'hongbao.wall' });
}

function useTurnedRed(signs: readonly Sign[], on: Readonly<Record<Way, boolean>>, siren: Siren): void {
  const before = useRef<ReadonlySet<string>>(new Set());
  const message = useRef<{ readonly keys: readonly string[]; readonly shown: Notification }>(undefined);
  const red = signs.filter(({ state }) => state === 'bad');
  const keys = red.map(({ key }) => key);
  useEffect(() => {
    const turned = red.filter(({ key }) => !before.current.has(key));
    before.current = new Set(keys);
    if (!message.current?.keys.some((key) => keys.includes(key))) message.current?.shown.close();
    if (turned.length === 0) return;
    if (on.sound) siren.sound();
    if (on.message) message.current = { keys: turned.map(({ key }) => key), shown: messageAbout(turned) };
  }, [keys.join()]);
}
