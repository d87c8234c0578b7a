import type { ComponentChildren } from 'preact';
import type { Hurdle } from '../../../libs/client';
import { type Language, tagOf } from '../kit/language';
import { moneyText } from '../kit/money';
import { clockText, useCountUp, useSecondsUntil } from './counting';
import { BestLuck } from './best-luck';
import type { Known } from './known';
import type { Activity, Player, Stage, WaitingPlace, Wallet, Win } from './player';
import { Blessing } from './theme';
import type { Words } from './words';

interface CardProps {
  readonly stage: Stage;
  readonly activity?: Activity;
  readonly wallet?: Wallet;
  readonly known?: Known;
  readonly words: Words;
  readonly language: Language;
  readonly nowMs: () => number;
}

interface StageCardProps extends CardProps {
  /** The address of the API. */
  readonly api: string;
  readonly player?: Player;
}

/** The sponsor's blessing, the text for the player, and the best luck. */
export function StageCard({ api, player, ...props }: StageCardProps) {
  return (
    <div class="card">
      {props.activity && <Blessing activity={props.activity} api={api} />}
      <Text {...props} />
      {player && props.activity && <BestLuck {...props} player={player} activity={props.activity} />}
    </div>
  );
}

/** One sentence with the player's stage, and its details. */
function Text(props: CardProps) {
  const { stage, words } = props;
  switch (stage.at) {
    case 'loading':
      if (stage.hurdle === 'unreachable' && props.known) return <Offline {...props} known={props.known} />;
      return <Waiting {...props} stage={stage} />;
    case 'asking':
    case 'joining':
      return <Waiting {...props} stage={stage} />;
    case 'signed-out':
      return <Said says={words.signedOut} />;
    case 'unknown':
    case 'closed':
    case 'limit':
    case 'open':
      return <Said says={words[stage.at]} />;
    case 'scheduled':
      return <Countdown {...props} atMs={stage.opensAtMs} says={words.opensIn} hint={words.getReady} />;
    case 'not-yet':
      return <Countdown {...props} atMs={stage.nextAtMs} says={words.moreIn} hint={words.tapsAgain} />;
    case 'won':
      return <WonCard {...props} win={stage.win} />;
    case 'sold-out':
      return <SoldOutCard words={words} place={stage.place} isFull={stage.isFull} />;
    case 'refused':
      return <Said says={`${words.refused} ${stage.detail}`} />;
  }
}

function Waiting({ stage, words }: CardProps & { readonly stage: Extract<Stage, { hurdle?: Hurdle }> }) {
  return <Said busy says={stage.hurdle ? words.hurdle[stage.hurdle] : words[stage.at]} />;
}

/** The state that was seen before a reload without a network. */
function Offline({ known: { activity, win }, words, language }: CardProps & { readonly known: Known }) {
  const moment = (at: string) =>
    new Date(at).toLocaleString(tagOf(language), { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <Said says={words.offline}>
      <p class="hint">{words.lasts(moment(activity.opensAt), moment(activity.closesAt))}</p>
      {win && <p class="hint">{words.wonSoFar(moneyText(win.amount, activity.currency, language))}</p>}
    </Said>
  );
}

interface SaidParts {
  readonly says: string;
  readonly busy?: boolean;
  readonly children?: ComponentChildren;
}

function Said({ says, busy = false, children }: SaidParts) {
  return (
    <>
      {busy && <div class="spinner" />}
      <p role="status">{says}</p>
      {children}
    </>
  );
}

interface CountdownProps extends Pick<CardProps, 'nowMs'> {
  readonly atMs: number;
  readonly says: string;
  readonly hint: string;
}

function Countdown({ atMs, nowMs, says, hint }: CountdownProps) {
  const seconds = useSecondsUntil(atMs, nowMs);
  return (
    <Said says={says}>
      <div class="countdown" role="timer">
        {clockText(seconds)}
      </div>
      <p class="hint">{hint}</p>
    </Said>
  );
}

function WonCard({ win, activity, wallet, words, language }: CardProps & { readonly win: Win }) {
  const isGone = win.settlement === 'credited' && Number(wallet?.balance ?? win.amount) < Number(win.amount);
  const shown = useCountUp(Number(win.amount));
  return (
    <Said says={win.isOld ? words.wonBefore : words.won}>
      {!win.isOld && <Coins />}
      <div class="amount" data-settlement={win.settlement}>
        {moneyText(win.amount, activity?.currency ?? 'CNY', language, shown)}
      </div>
      <p role="status" class="settlement">
        {isGone ? words.wasCredited : words.settlement[win.settlement]}
      </p>
    </Said>
  );
}

/** How far each coin flies aside, in rem. */
const COINS = [-9, -7, -5, -3, -1, 1, 3, 5, 7, 9];

/** Coins that fly out of a packet once. The browser moves them by itself (rain.css). */
const Coins = () => (
  <div class="coins" aria-hidden="true">
    {COINS.map((aside) => (
      <i key={aside} style={{ '--aside': `${aside}rem` }} />
    ))}
  </div>
);

interface SoldOutProps {
  readonly words: Words;
  readonly place?: WaitingPlace;
  readonly isFull?: boolean;
}

function SoldOutCard({ words, place, isFull = false }: SoldOutProps) {
  if (place)
    return <Said says={words.place(place.position)} children={<p class="hint">{words.placeHint}</p>} />;
  return <Said says={words.soldOut} children={<p class="hint">{isFull ? words.full : words.waitHint}</p>} />;
}
