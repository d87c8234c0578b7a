import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { may, type Person } from '../../session/staff';
import { Link } from '../../ui/address';
import { useAnswer } from '../../ui/asking';
import { Field } from '../../ui/form';
import { ReviewedForm } from '../../ui/reviewed';
import { words } from '../../words';
import { amountText, grouped } from '../../words/language';
import { reviewTopUp } from '../booking-review';
import { usePoolOf } from '../code-pools/pools-at-hand';
import { currencyAmong, useCurrencies } from '../currencies/currencies-at-hand';
import { AmountField } from '../currencies/currency-choice';
import { NO_PACE, paceOf } from './terms/pace-draft';
import { PaceFields } from './terms/pace-fields';
import { EMPTY_SPLIT, EQUAL_SPLIT, SplitFields, splitOf } from './terms/split-fields';
import { SplitPreview } from './terms/split-preview';

interface TopUpFormProps {
  readonly api: ApiClient;
  readonly person: Person;
  readonly activity: Schema<'ActivityDto'>;
  readonly onDone: () => void;
}

export function TopUpForm({ api, person, activity, onDone }: TopUpFormProps) {
  const { id: activityId, sponsorId, totalAmount, currency, opensAt, closesAt } = activity;
  const [amount, setAmount] = useState('');
  const [packets, setPackets] = useState('');
  const [split, setSplit] = useState(EMPTY_SPLIT);
  const [pace, setPace] = useState(NO_PACE);
  const money = { currencies: useCurrencies(api).value, value: currency };
  const isOfCodes = currencyAmong(money.currencies, currency)?.kind === 'codes';
  const pool = usePoolOf(api, currency);
  const wallet = useAnswer(
    async (options) =>
      may(person, 'inspect') ? api.readWallet(sponsorId, { currency }, options) : undefined,
    [api, sponsorId, currency],
  ).value;
  /** A packet gives one code. */
  const sum = isOfCodes ? packets.trim() : amount;
  const packetCount = Number(packets);
  const topUp = async (key: string) => {
    const shape = splitOf(isOfCodes ? EQUAL_SPLIT : split);
    const body = { amount: sum, currency, packetCount, split: shape, pace: paceOf(pace) };
    const { status, body: added } = await api.topUpActivity(activityId, body, { key });
    // Pressed again, a form that is still filled in would book the same once more.
    setAmount('');
    setPackets('');
    if (status === 202) return words.common.needsApproval;
    onDone();
    return words.topUp.added(added.packetCount, `${added.amount} ${added.currency}`);
  };
  return (
    <div class="columns beside">
      <ReviewedForm
        title={words.topUp.title}
        submit={words.topUp.submit}
        review={() => reviewTopUp(api, may(person, 'inspect'), activityId, sum)}
        onConfirm={topUp}
      >
        {!isOfCodes && !activity.rehearsal && (
          <p class="about">
            {words.topUp.from(sponsorId, amountText(`${totalAmount} ${currency}`), activity.packetCount)}
            {wallet && (
              <>
                {' '}
                <Link to={['wallets', sponsorId]} query={{ currency }}>
                  {words.topUp.holds(amountText(`${wallet.balance} ${wallet.currency}`))}
                </Link>
              </>
            )}
          </p>
        )}
        {!isOfCodes && (
          <AmountField {...money} label={words.labels.amount} amount={amount} onAmount={setAmount} />
        )}
        <Field
          label={words.labels.packetCount}
          value={packets}
          inputMode="numeric"
          hint={pool && words.codePools.free(pool.name, grouped(String(pool.free)))}
          onValue={setPackets}
        />
        {!isOfCodes && <SplitFields {...money} draft={split} onDraft={setSplit} />}
        <PaceFields
          draft={pace}
          window={{
            opensAtMs: Date.parse(opensAt),
            closesAtMs: Date.parse(closesAt),
            packetCount: packetCount || NaN,
          }}
          onDraft={setPace}
        />
      </ReviewedForm>
      {amount !== '' && packetCount > 0 && !isOfCodes && (
        <SplitPreview
          api={api}
          totalAmount={amount}
          currency={currency}
          packetCount={packetCount}
          split={splitOf(split)}
        />
      )}
    </div>
  );
}
