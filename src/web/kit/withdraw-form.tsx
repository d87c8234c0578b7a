import { useState } from 'preact/hooks';
import type { Language } from './language';
import { moneyText } from './money';
import type { Channel, Purse, PurseView, Wallet } from './purse';
import type { PurseWords } from './purse-words';

interface FormProps {
  readonly purse: Purse;
  readonly view: PurseView;
  readonly channels: readonly Channel[];
  readonly wallet: Wallet;
  readonly said: PurseWords;
  readonly language: Language;
}

/** Proposes the most that can be withdrawn at once, to where the last payout went. */
export function WithdrawForm({ purse, view, channels, wallet, said, language }: FormProps) {
  const [chosen, setChosen] = useState<string>();
  const [written, setWritten] = useState<string>();
  const channelId = chosen ?? view.payouts?.[0]?.channelId;
  const channel = channels.find(({ id }) => id === channelId) ?? channels[0]!;
  const amount = written ?? mostOf(channel, wallet);
  const { profile } = channel;
  const money = (text: string) => moneyText(text, wallet.currency, language);
  const isTooLittle = Number(wallet.balance) < Number(profile.smallest);
  const submit = async () => {
    const wish = { amount: amount.trim(), channelId: channel.id };
    if (await purse.withdraw(wish)) setWritten(undefined);
  };
  return (
    <form
      aria-label={said.withdraw}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {channels.length > 1 && (
        <label>
          {said.channel}
          <select value={channel.id} onChange={(event) => setChosen(event.currentTarget.value)}>
            {channels.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {isTooLittle ? (
        <p class="hint">{said.tooLittle(money(profile.smallest))}</p>
      ) : (
        <>
          <label>
            {said.amount}
            <input
              required
              inputMode="decimal"
              autoComplete="off"
              value={amount}
              readOnly={view.isAsking}
              onInput={(event) => setWritten(event.currentTarget.value)}
            />
          </label>
          <p class="hint">{limitsOf(channel, said, money)}</p>
          <button class="deed" aria-disabled={view.isAsking}>
            {said.withdraw}
          </button>
        </>
      )}
    </form>
  );
}

function mostOf({ profile: { largest, perUserPerDay } }: Channel, { balance }: Wallet): string {
  const bounds = [balance, largest, perUserPerDay].filter((bound) => bound !== null);
  return bounds.reduce((least, bound) => (Number(bound) < Number(least) ? bound : least));
}

function limitsOf({ profile }: Channel, said: PurseWords, money: (text: string) => string): string {
  const names = ['smallest', 'largest', 'perUserPerDay'] as const;
  return names
    .flatMap((name) => (profile[name] === null ? [] : said.limits[name](money(profile[name]))))
    .join(' · ');
}
