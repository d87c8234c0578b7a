import type { Schema } from '../../../../../../libs/client';
import { Choice, LongField } from '../../../ui/form';
import { words } from '../../../words';
import { AmountField, type CurrencyChoiceProps } from '../../currencies/currency-choice';

export type Split = Schema<'SplitPreviewBody'>['split'];

/** The input of the form about a split. */
export interface SplitDraft {
  readonly kind: Split['kind'];
  readonly min: string;
  readonly max: string;
  /** One tier a line: amount, then count. */
  readonly tiers: string;
}

export const EMPTY_SPLIT: SplitDraft = { kind: 'random', min: '', max: '', tiers: '' };
export const EQUAL_SPLIT: SplitDraft = { ...EMPTY_SPLIT, kind: 'equal' };

/** Leaves out empty fields. The API refuses wrong ones. */
export function splitOf({ kind, min, max, tiers }: SplitDraft): Split {
  if (kind === 'equal') return { kind };
  if (kind === 'random') return { kind, ...(min && { min }), ...(max && { max }) };
  const lines = tiers.split('\n').filter((line) => line.trim() !== '');
  return {
    kind,
    tiers: lines.map((line) => {
      const [amount = '', count = ''] = line.trim().split(/[\s,×x]+/);
      return { amount, count: Number(count) };
    }),
  };
}

/** Fills the form from a split. */
export function splitDraftOf(split: Split): SplitDraft {
  if (split.kind === 'random') return { ...EMPTY_SPLIT, min: split.min ?? '', max: split.max ?? '' };
  if (split.kind === 'equal') return EQUAL_SPLIT;
  const tiers = split.tiers.map(({ amount, count }) => `${amount} ${count}`).join('\n');
  return { ...EMPTY_SPLIT, kind: 'tiers', tiers };
}

/** The facts about a split, for people. */
export function splitFacts(split: Split): Readonly<Record<string, string | undefined>> {
  const { labels } = words;
  const kind = { [labels.split]: words.split.kinds[split.kind] };
  switch (split.kind) {
    case 'equal':
      return kind;
    case 'random':
      return { ...kind, [labels['split.min']]: split.min, [labels['split.max']]: split.max };
    case 'tiers':
      return {
        ...kind,
        [labels['split.tiers']]: split.tiers.map(({ amount, count }) => `${amount} × ${count}`).join(', '),
      };
  }
}

interface SplitFieldsProps extends CurrencyChoiceProps {
  readonly draft: SplitDraft;
  readonly onDraft: (draft: SplitDraft) => void;
}

export function SplitFields({ draft, onDraft, ...money }: SplitFieldsProps) {
  const change = (part: Partial<SplitDraft>) => onDraft({ ...draft, ...part });
  return (
    <>
      <Choice
        label={words.labels.split}
        value={draft.kind}
        options={words.split.kinds}
        onValue={(kind) => change({ kind: kind as SplitDraft['kind'] })}
      />
      {draft.kind === 'random' && (
        <>
          <AmountField
            {...money}
            label={words.labels['split.min']}
            amount={draft.min}
            required={false}
            placeholder={words.split.noBound}
            onAmount={(min) => change({ min })}
          />
          <AmountField
            {...money}
            label={words.labels['split.max']}
            amount={draft.max}
            required={false}
            placeholder={words.split.noBound}
            onAmount={(max) => change({ max })}
          />
        </>
      )}
      {draft.kind === 'tiers' && (
        <LongField
          label={words.labels['split.tiers']}
          value={draft.tiers}
          required={false}
          hint={words.split.tiersHint}
          onValue={(tiers) => change({ tiers })}
        />
      )}
    </>
  );
}
