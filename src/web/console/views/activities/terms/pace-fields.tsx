import { Choice } from '../../../ui/form';
import { MomentField } from '../../../ui/moment-field';
import { words } from '../../../words';
import type { PaceDraft } from './pace-draft';
import { type FormWindow, WaveRows } from './wave-rows';

interface PaceFieldsProps {
  readonly draft: PaceDraft;
  readonly window: FormWindow;
  readonly onDraft: (draft: PaceDraft) => void;
}

export function PaceFields({ draft, window, onDraft }: PaceFieldsProps) {
  const change = (part: Partial<PaceDraft>) => onDraft({ ...draft, ...part });
  return (
    <>
      <Choice
        label={words.labels.pace}
        value={draft.kind}
        options={words.pace.kinds}
        onValue={(kind) => change({ kind: kind as PaceDraft['kind'] })}
      />
      {draft.kind === 'even' && (
        <MomentField
          label={words.labels['pace.until']}
          value={draft.until}
          required={false}
          minMs={window.opensAtMs + 1_000}
          maxMs={window.closesAtMs}
          onValue={(until) => change({ until })}
          hint={words.pace.untilHint}
        />
      )}
      {draft.kind === 'waves' && (
        <WaveRows waves={draft.waves} window={window} onWaves={(waves) => change({ waves })} />
      )}
    </>
  );
}
