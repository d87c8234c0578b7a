import { useEffect, useRef } from 'preact/hooks';
import { type Language, tagOf } from '../kit/language';
import { isOfCodes, moneyText } from '../kit/money';
import { useCountUp } from './counting';
import type { Player, Wallet } from './player';
import type { Payout, PurseView, Refusal } from './purse';
import { PURSE_WORDS, type PurseWords } from './purse-words';
import { WithdrawForm } from './withdraw-form';
import { refusalText, type Words } from './words';

interface PurseProps {
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly player: Player;
  readonly purse: PurseView;
  readonly wallet: Wallet;
  readonly words: Words;
  readonly language: Language;
}

const LOOK_MS = 5_000;
const ENDED: readonly Payout['state'][] = ['paid', 'refused', 'returned'];

/** The balance, which opens the wallet. */
export function PurseButton(props: PurseProps) {
  const { isOpen, onOpen, purse, wallet, words, language } = props;
  const shown = useCountUp(Number(wallet.balance));
  return (
    <>
      <button class="quiet wallet" aria-haspopup="dialog" onClick={() => onOpen(true)}>
        {words.wallet}{' '}
        <strong data-balance={wallet.balance}>
          {moneyText(wallet.balance, wallet.currency, language, shown)}
        </strong>
        {purse.needsUser && (
          <span class="wanted" role="status">
            {PURSE_WORDS[language].states['needs-user']}
          </span>
        )}
      </button>
      {isOpen && <OpenPurse {...props} />}
    </>
  );
}

function OpenPurse(props: PurseProps) {
  const { player, purse, wallet, words, language, onOpen } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const said = PURSE_WORDS[language];
  useEffect(() => {
    dialog.current?.showModal();
    void player.purse.open();
  }, []);
  useLooking(player, purse);
  return (
    <dialog ref={dialog} class="purse" aria-label={words.wallet} onClose={() => onOpen(false)}>
      <header>
        <h2>{words.wallet}</h2>
        <button class="quiet" onClick={() => dialog.current?.close()}>
          {said.close}
        </button>
      </header>
      <p class="balance">{moneyText(wallet.balance, wallet.currency, language)}</p>
      <Way {...props} said={said} />
      <Outcome purse={purse} words={words} said={said} language={language} />
      {purse.payouts && <Payouts purse={purse} payouts={purse.payouts} said={said} language={language} />}
    </dialog>
  );
}

/** Most steps of a payout do not cause news, so the page polls for them. */
function useLooking(player: Player, { payouts }: PurseView): void {
  const isWaiting = payouts?.some(({ state }) => !ENDED.includes(state)) ?? false;
  useEffect(() => {
    if (!isWaiting) return;
    const look = () => document.visibilityState === 'visible' && void player.purse.look();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [player, isWaiting]);
}

interface SaidProps {
  readonly said: PurseWords;
  readonly language: Language;
}

function Way({ player, purse, wallet, said, language }: PurseProps & SaidProps) {
  const { channels } = purse;
  if (channels === undefined) return null;
  if (isOfCodes(wallet.currency)) return <p class="hint">{said.codesStay}</p>;
  if (channels.length === 0) return <p class="hint">{said.noWay}</p>;
  return <WithdrawForm {...{ player, purse, channels, wallet, said, language }} />;
}

function Outcome({
  purse: { isAsking, hurdle, asked, payouts, refusal },
  words,
  said,
  language,
}: SaidProps & { readonly purse: PurseView; readonly words: Words }) {
  if (refusal) return <p role="alert">{purseRefusal(refusal, words, said)}</p>;
  const busy = hurdle ? words.hurdle[hurdle] : isAsking && said.asking;
  // The list below says what has become of it since: both are the same payout.
  const now = payouts?.find(({ id }) => id === asked?.id) ?? asked;
  return <p role="status">{busy || (now && askedText(now, said, language))}</p>;
}

function purseRefusal({ code }: Refusal, words: Words, { refusals }: PurseWords): string {
  return (code && refusals[code]) ?? refusalText(code, words);
}

function askedText({ amount, currency, state }: Payout, said: PurseWords, language: Language): string {
  const money = moneyText(amount, currency, language);
  if (ENDED.includes(state)) return `${money}: ${said.states[state]}`;
  return state === 'review' ? said.askedForReview(money) : said.asked(money);
}

interface PayoutsProps extends SaidProps {
  readonly purse: PurseView;
  readonly payouts: readonly Payout[];
}

function Payouts({ purse, payouts, said, language }: PayoutsProps) {
  return (
    <section aria-label={said.mine}>
      <h3>{said.mine}</h3>
      {payouts.length === 0 && <p class="hint">{said.none}</p>}
      <ol class="payouts">
        {payouts.map((payout) => (
          <li key={payout.id} class={payout.state}>
            <strong>{moneyText(payout.amount, payout.currency, language)}</strong>
            <span>{said.states[payout.state]}</span>
            <Detail payout={payout} said={said} />
            <small>
              {momentText(payout.createdAt, language)}
              {nameOf(payout, purse)}
            </small>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Detail({ payout: { state, code, action }, said }: { payout: Payout; said: PurseWords }) {
  if (state === 'needs-user' && action) return <em>{action}</em>;
  return state === 'refused' && code ? <em>{said.codes[code] ?? code}</em> : null;
}

const momentText = (at: string, language: Language): string =>
  new Date(at).toLocaleString(tagOf(language), { dateStyle: 'medium', timeStyle: 'short' });

function nameOf({ channelId }: Payout, { channels }: PurseView): string {
  const name = channels?.find(({ id }) => id === channelId)?.name;
  return name === undefined ? '' : ` · ${name}`;
}
