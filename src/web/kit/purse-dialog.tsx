import { useEffect, useRef } from 'preact/hooks';
import type { Hurdle, ProblemCode } from '../../../libs/client';
import { type Language, tagOf } from './language';
import { isOfCodes, moneyText } from './money';
import type { Payout, Purse, PurseView, Refusal, Wallet } from './purse';
import { PURSE_WORDS, type PurseWords } from './purse-words';
import { WithdrawForm } from './withdraw-form';

/** The texts of the purse, in the words of its page. */
interface PageWords {
  readonly wallet: string;
  readonly hurdle: Readonly<Record<Hurdle, string>>;
  readonly refused: string;
  readonly refusals: Readonly<Partial<Record<ProblemCode, string>>>;
}

interface DialogProps {
  readonly purse: Purse;
  readonly view: PurseView;
  readonly wallet: Wallet;
  readonly words: PageWords;
  readonly language: Language;
  readonly onClose: () => void;
}

const LOOK_MS = 5_000;
const ENDED: readonly Payout['state'][] = ['paid', 'refused', 'returned'];

/** A wallet, from which its owner withdraws. */
export function PurseDialog(props: DialogProps) {
  const { purse, view, wallet, words, language, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const said = PURSE_WORDS[language];
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => void purse.open(), [purse]);
  useLooking(purse, view);
  return (
    <dialog ref={dialog} class="purse" aria-label={words.wallet} onClose={onClose}>
      <header>
        <h2>{words.wallet}</h2>
        <button class="quiet" onClick={() => dialog.current?.close()}>
          {said.close}
        </button>
      </header>
      <p class="balance">{moneyText(wallet.balance, wallet.currency, language)}</p>
      <Way {...props} said={said} />
      <Outcome {...{ view, words, said, language }} />
      {view.payouts && <Payouts {...{ view, said, language }} payouts={view.payouts} />}
    </dialog>
  );
}

/** Most steps of a payout do not cause news, so the page polls for them. */
function useLooking(purse: Purse, { payouts }: PurseView): void {
  const isWaiting = payouts?.some(({ state }) => !ENDED.includes(state)) ?? false;
  useEffect(() => {
    if (!isWaiting) return;
    const look = () => document.visibilityState === 'visible' && void purse.look();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [purse, isWaiting]);
}

interface SaidProps {
  readonly said: PurseWords;
  readonly language: Language;
}

function Way({ purse, view, wallet, said, language }: DialogProps & SaidProps) {
  const { channels } = view;
  if (channels === undefined) return null;
  if (isOfCodes(wallet.currency)) return <p class="hint">{said.codesStay}</p>;
  if (channels.length === 0) return <p class="hint">{said.noWay}</p>;
  return <WithdrawForm {...{ purse, view, channels, wallet, said, language }} />;
}

function Outcome({
  view: { isAsking, hurdle, asked, payouts, refusal },
  words,
  said,
  language,
}: SaidProps & { readonly view: PurseView; readonly words: PageWords }) {
  if (refusal) return <p role="alert">{purseRefusal(refusal, words, said)}</p>;
  const busy = hurdle ? words.hurdle[hurdle] : isAsking && said.asking;
  // The list below says what has become of it since: both are the same payout.
  const now = payouts?.find(({ id }) => id === asked?.id) ?? asked;
  return <p role="status">{busy || (now && askedText(now, said, language))}</p>;
}

function purseRefusal({ code }: Refusal, words: PageWords, { refusals }: PurseWords): string {
  return (code && (refusals[code] ?? words.refusals[code])) ?? words.refused;
}

function askedText({ amount, currency, state }: Payout, said: PurseWords, language: Language): string {
  const money = moneyText(amount, currency, language);
  if (ENDED.includes(state)) return `${money}: ${said.states[state]}`;
  return state === 'review' ? said.askedForReview(money) : said.asked(money);
}

interface PayoutsProps extends SaidProps {
  readonly view: PurseView;
  readonly payouts: readonly Payout[];
}

function Payouts({ view, payouts, said, language }: PayoutsProps) {
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
              {nameOf(payout, view)}
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
