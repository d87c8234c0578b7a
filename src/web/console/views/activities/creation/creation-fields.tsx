import { useEffect } from 'preact/hooks';
import type { ApiClient } from '../../../../../../libs/client';
import { Choice, Field, Group } from '../../../ui/form';
import { words } from '../../../words';
import { grouped } from '../../../words/language';
import { usePoolOf } from '../../code-pools/pools-at-hand';
import type { Currency } from '../../currencies/currencies-at-hand';
import { AmountField, CurrencyChoice } from '../../currencies/currency-choice';
import { AdmissionFields } from '../terms/admission-fields';
import { AudienceFields } from '../terms/audience-fields';
import { NO_PAYOUT, PayoutFields } from '../terms/payout-fields';
import { SplitFields } from '../terms/split-fields';
import { ThemeFields } from '../terms/theme-fields';
import type { Draft, PlainField } from './creation-draft';

export interface FieldsProps {
  readonly api: ApiClient;
  readonly draft: Draft;
  /** Those of the installation, once they are read. */
  readonly currencies: readonly Currency[] | undefined;
  /** Packets give codes of a pool. */
  readonly isOfCodes: boolean;
  readonly onChange: (part: Partial<Draft>) => void;
}

const plainField = (name: PlainField, { draft, onChange }: Pick<FieldsProps, 'draft' | 'onChange'>) => ({
  label: words.labels[name],
  value: draft[name],
  onValue: (value: string) => onChange({ [name]: value }),
});

/** Who gives how much, in how many packets, and how it is split. */
export function MoneyFields(props: FieldsProps) {
  const { draft, onChange, currencies, isOfCodes } = props;
  const money = { currencies, value: draft.isRehearsal ? '' : draft.currency };
  return (
    <>
      <div class="fields">
        <Field {...plainField('name', props)} />
        <Field
          {...plainField('sponsorId', props)}
          hint={draft.isRehearsal ? undefined : words.newActivity.sponsorHint}
        />
      </div>
      <label class="check alone">
        <input
          type="checkbox"
          checked={draft.isRehearsal}
          onChange={(event) => onChange({ isRehearsal: event.currentTarget.checked, payout: NO_PAYOUT })}
        />
        {words.newActivity.rehearsal}
      </label>
      {!draft.isRehearsal && (
        <CurrencyChoice {...money} onValue={(currency) => onChange({ currency, payout: NO_PAYOUT })} />
      )}
      {isOfCodes ? (
        <CodeFields {...props} />
      ) : (
        <>
          <AmountField
            {...money}
            label={words.labels.totalAmount}
            amount={draft.totalAmount}
            onAmount={(totalAmount) => onChange({ totalAmount })}
          />
          <Field {...plainField('packetCount', props)} inputMode="numeric" />
          <SplitFields {...money} draft={draft.split} onDraft={(split) => onChange({ split })} />
        </>
      )}
    </>
  );
}

/** How many codes. Only the sponsor of the pool gives them. */
function CodeFields(props: FieldsProps) {
  const { api, draft, onChange } = props;
  const pool = usePoolOf(api, draft.currency);
  useEffect(() => {
    if (pool && pool.sponsorId !== draft.sponsorId) onChange({ sponsorId: pool.sponsorId });
  }, [pool?.id]);
  return (
    <Field
      {...plainField('packetCount', props)}
      inputMode="numeric"
      hint={pool && words.codePools.free(pool.name, grouped(String(pool.free)))}
    />
  );
}

/** Who may win how often, and where the wins go. */
export function WinFields({ api, draft, currencies, isOfCodes, onChange }: FieldsProps) {
  return (
    <Group title={words.newActivity.wins}>
      <AudienceFields draft={draft.audience} onDraft={(audience) => onChange({ audience })} />
      <AdmissionFields draft={draft.admission} onDraft={(admission) => onChange({ admission })} />
      {!draft.isRehearsal && !isOfCodes && (
        <PayoutFields
          {...{ api, currencies }}
          currency={draft.currency}
          draft={draft.payout}
          onDraft={(payout) => onChange({ payout })}
        />
      )}
    </Group>
  );
}

/** The page of the rain. */
export function LookFields({ draft, isOfCodes, onChange }: FieldsProps) {
  return (
    <Group title={words.look.title}>
      {!isOfCodes && (
        <Choice
          label={words.labels.showsBestLuck}
          value={draft.luck}
          options={words.bestLuck}
          onValue={(luck) => onChange({ luck })}
        />
      )}
      <ThemeFields draft={draft.theme} onDraft={(theme) => onChange({ theme })} />
    </Group>
  );
}
