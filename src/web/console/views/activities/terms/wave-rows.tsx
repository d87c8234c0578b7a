import { useId, useRef } from 'preact/hooks';
import { waveFaultAt, WAVES_MAX } from '../../../../../../libs/pace';
import { localTime, msOf } from '../../../ui/local-time';
import { MomentInput } from '../../../ui/moment-field';
import { words } from '../../../words';
import { zoneText } from '../../../words/language';
import type { WaveDraft } from './pace-draft';

/** The time between two waves if the form says nothing else. */
const APART_MS = 600_000;

/** The window of the form, in milliseconds; NaN where it cannot be read. */
export interface FormWindow {
  readonly opensAtMs: number;
  readonly closesAtMs: number;
  /** NaN if the form does not say it. */
  readonly packetCount: number;
}

interface WaveRowsProps {
  readonly waves: readonly WaveDraft[];
  readonly window: FormWindow;
  readonly onWaves: (waves: readonly WaveDraft[]) => void;
}

/** A row for each wave, with what is wrong with it. */
export function WaveRows({ waves, window, onWaves }: WaveRowsProps) {
  const list = useRef<HTMLOListElement>(null);
  const said = words.pace;
  const change = (no: number, part: Partial<WaveDraft>) =>
    onWaves(waves.map((wave, i) => (i === no ? { ...wave, ...part } : wave)));
  /** The packets of two waves change places, and the focus goes with those that were moved. */
  const move = (no: number, to: number, button: string) => {
    const other = waves[to];
    if (!other) return;
    const counts = { [no]: other.count, [to]: waves[no]!.count };
    onWaves(waves.map((wave, i) => ({ ...wave, count: counts[i] ?? wave.count })));
    list.current?.children[to]?.querySelector<HTMLElement>(button)?.focus();
  };
  const remove = (no: number) => {
    onWaves(waves.filter((_, i) => i !== no));
    list.current?.nextElementSibling?.querySelector('button')?.focus();
  };
  return (
    <div class="field waves">
      <span>{words.labels['pace.waves']}</span>
      <small>{zoneText(Number.isNaN(window.opensAtMs) ? Date.now() : window.opensAtMs)}</small>
      <ol ref={list}>
        {waves.map((wave, i) => (
          <Row
            key={i}
            {...{ wave, window, no: i + 1 }}
            isLast={i === waves.length - 1}
            fault={faultOf(waves, i, window)}
            onWave={(part) => change(i, part)}
            onEarlier={() => move(i, i - 1, '.earlier')}
            onLater={() => move(i, i + 1, '.later')}
            onRemove={() => remove(i)}
          />
        ))}
      </ol>
      <div class="row">
        <button
          type="button"
          aria-disabled={waves.length >= WAVES_MAX}
          onClick={() => waves.length < WAVES_MAX && onWaves([...waves, nextWave(waves, window)])}
        >
          {said.addWave}
        </button>
        <output>{sumText(waves, window)}</output>
      </div>
    </div>
  );
}

interface RowProps {
  readonly wave: WaveDraft;
  /** From 1. */
  readonly no: number;
  readonly isLast: boolean;
  readonly window: FormWindow;
  readonly fault?: string;
  readonly onWave: (part: Partial<WaveDraft>) => void;
  readonly onEarlier: () => void;
  readonly onLater: () => void;
  readonly onRemove: () => void;
}

function Row({ wave, no, isLast, window, fault, onWave, onEarlier, onLater, onRemove }: RowProps) {
  const id = useId();
  const said = words.pace;
  const describedBy = fault ? id : undefined;
  return (
    <li>
      <MomentInput
        label={said.waveAt(no)}
        value={wave.at}
        required
        minMs={window.opensAtMs}
        maxMs={window.closesAtMs - 1_000}
        describedBy={describedBy}
        onValue={(at) => onWave({ at })}
      />
      <input
        type="text"
        inputMode="numeric"
        required
        aria-label={said.waveCount(no)}
        aria-describedby={describedBy}
        value={wave.count}
        onInput={(event) => onWave({ count: event.currentTarget.value })}
      />
      <button
        type="button"
        class="earlier"
        title={said.earlier(no)}
        aria-label={said.earlier(no)}
        aria-disabled={no === 1}
        onClick={onEarlier}
      >
        <span aria-hidden="true">↑</span>
      </button>
      <button
        type="button"
        class="later"
        title={said.later(no)}
        aria-label={said.later(no)}
        aria-disabled={isLast}
        onClick={onLater}
      >
        <span aria-hidden="true">↓</span>
      </button>
      <button type="button" title={said.removeWave(no)} aria-label={said.removeWave(no)} onClick={onRemove}>
        <span aria-hidden="true">✕</span>
      </button>
      {fault && (
        <small id={id} class="complaint">
          {fault}
        </small>
      )}
    </li>
  );
}

/** The API judges instants by the same function. */
function faultOf(waves: readonly WaveDraft[], i: number, window: FormWindow): string | undefined {
  const { at, count } = waves[i]!;
  const said = words.pace.waveFaults;
  if (at !== '') {
    const fault = waveFaultAt(
      waves.map((wave) => ({ atMs: msOf(wave.at) })),
      i,
      window,
    );
    if (fault) return said[fault];
  }
  return count !== '' && !/^[1-9]\d*$/.test(count) ? said['not-a-count'] : undefined;
}

const sumOf = (waves: readonly WaveDraft[]): number =>
  waves.reduce((sum, { count }) => sum + (Number(count) || 0), 0);

function sumText(waves: readonly WaveDraft[], { packetCount }: FormWindow): string {
  const sum = sumOf(waves);
  if (!(packetCount > 0) || waves.length === 0) return '';
  return sum === packetCount ? words.pace.allInWaves(sum) : words.pace.inWaves(sum, packetCount);
}

/** As far from the last wave as that is from the one before it, with the packets that are left. */
function nextWave(waves: readonly WaveDraft[], { opensAtMs, packetCount }: FormWindow): WaveDraft {
  const [before, last] = [waves.at(-2), waves.at(-1)].map((wave) => (wave ? msOf(wave.at) : NaN));
  const apartMs = last! - before!;
  const atMs = Number.isNaN(last) ? opensAtMs : last! + (apartMs > 0 ? apartMs : APART_MS);
  const left = packetCount - sumOf(waves);
  return { at: Number.isNaN(atMs) ? '' : localTime(atMs), count: left > 0 ? String(left) : '' };
}
