import { useEffect, useRef, useState } from 'preact/hooks';
import { keep, kept } from '../kit/kept';
import { wantsStillness } from './counting';
import type { Stage } from './player';

type Moment = 'opens' | 'tap' | 'won';

const KEPT_AS = 'hongbao.senses';

/** The notes of each moment in hertz, in sequence. */
const NOTES: Readonly<Record<Moment, readonly number[]>> = {
  opens: [523, 784],
  tap: [880],
  won: [784, 988, 1175, 1568],
};

/** Milliseconds of vibration and rest in turn. */
const BUZZES: Readonly<Record<Moment, number[]>> = { opens: [40], tap: [15], won: [60, 40, 120] };

const NOTE_SECONDS = 0.1;
const LOUDNESS = 0.2;
const SILENCE = 0.001;

/** Sound and vibration of what happens, for players who switch them on. */
export function useSenses(stage: Stage): { readonly isOn: boolean; readonly toggle: () => void } {
  const [isOn, setOn] = useState(() => kept(KEPT_AS) === 'on');
  const before = useRef(stage);
  useEffect(() => {
    const moment = momentBetween(before.current, stage);
    before.current = stage;
    if (isOn && moment) feel(moment);
  }, [stage.at]);
  const toggle = () => {
    setOn(!isOn);
    keep(KEPT_AS, isOn ? 'off' : 'on');
    if (!isOn) feel('tap');
  };
  return { isOn, toggle };
}

function momentBetween(before: Stage, now: Stage): Moment | undefined {
  if (now.at === 'open' && before.at === 'scheduled') return 'opens';
  if (now.at === 'asking') return 'tap';
  return now.at === 'won' && !now.win.isOld ? 'won' : undefined;
}

/** Browsers allow sound and vibration only after a first touch. */
function feel(moment: Moment): void {
  if (wantsStillness() || navigator.userActivation?.hasBeenActive === false) return;
  navigator.vibrate?.(BUZZES[moment]);
  play(NOTES[moment]);
}

let context: AudioContext | undefined;

function play(notes: readonly number[]): void {
  context ??= new AudioContext();
  void context.resume();
  notes.forEach((hertz, i) => sound(context!, hertz, context!.currentTime + i * NOTE_SECONDS));
}

/** One note that fades, as a bell does. */
function sound(audio: AudioContext, hertz: number, at: number): void {
  const [tone, gain] = [audio.createOscillator(), audio.createGain()];
  const end = at + 3 * NOTE_SECONDS;
  tone.type = 'triangle';
  tone.frequency.value = hertz;
  gain.gain.setValueAtTime(LOUDNESS, at);
  gain.gain.exponentialRampToValueAtTime(SILENCE, end);
  tone.connect(gain).connect(audio.destination);
  tone.start(at);
  tone.stop(end);
}
