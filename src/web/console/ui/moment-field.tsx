import { useId } from 'preact/hooks';
import { zoneText } from '../words/language';
import { localTime, msOf } from './local-time';

interface MomentInputProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly id?: string;
  readonly label?: string;
  readonly required?: boolean;
  /** Milliseconds since the epoch; NaN or undefined where there is no bound. */
  readonly minMs?: number;
  readonly maxMs?: number;
  readonly describedBy?: string;
}

const boundAt = (ms: number | undefined): string | undefined =>
  ms === undefined || Number.isNaN(ms) ? undefined : localTime(ms);

/** The browser's own picker of a moment, to the second. */
export function MomentInput({ minMs, maxMs, describedBy, label, onValue, ...rest }: MomentInputProps) {
  return (
    <input
      {...rest}
      type="datetime-local"
      step={1}
      min={boundAt(minMs)}
      max={boundAt(maxMs)}
      autoComplete="off"
      aria-label={label}
      aria-describedby={describedBy}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  );
}

interface MomentFieldProps extends Omit<MomentInputProps, 'id' | 'describedBy'> {
  readonly label: string;
  readonly hint?: string;
  /** Quick choices: what they are called, and the moment of each when it is chosen. */
  readonly choices?: Readonly<Record<string, () => number>>;
}

/** A moment with the zone that it is in, and quick choices. */
export function MomentField({ label, hint, choices = {}, required = true, ...rest }: MomentFieldProps) {
  const id = useId();
  const shownMs = msOf(rest.value);
  return (
    <div class="field moment">
      <label for={id}>{label}</label>
      <MomentInput {...rest} {...{ id, required }} describedBy={`${id}-hint`} />
      <small id={`${id}-hint`}>
        {zoneText(Number.isNaN(shownMs) ? Date.now() : shownMs)}
        {hint && <> · {hint}</>}
      </small>
      <div class="row choices">
        {Object.entries(choices).map(([name, momentOf]) => (
          <button
            key={name}
            type="button"
            aria-label={`${label}: ${name}`}
            onClick={() => rest.onValue(localTime(momentOf()))}
          >
            {name}
          </button>
        ))}
      </div>
    </div>
  );
}
