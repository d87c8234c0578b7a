import type { ComponentChildren } from 'preact';
import { type Language, tagOf } from '../kit/language';
import { isOfCodes, moneyText } from '../kit/money';
import type { Wallet } from '../kit/purse';
import { clockText, useCountUp, useSecondsUntil } from './counting';
import type { Known } from './known';
import type { Said } from './packet-check';
import type { Activity, Player, Stage, Win, WonCode } from './player';
import { Blessing } from './theme';
import { refusalText, type Words } from './words';

interface CardProps {
  readonly stage: Stage;
  readonly activity?: Activity;
  readonly wallet?: Wallet;
  readonly code?: WonCode;
  /** The link says that a password opens the activity. */
  readonly asksForPassword: boolean;
  readonly known?: Known;
  readonly words: Words;
  readonly language: Language;
  readonly nowMs: () => number;
  readonly extras?: typeof import('./extras');
  /** What a check of the packet has found. */
  readonly said?: Said;
}

interface StageCardProps extends CardProps {
  /** The address of the API. */
  readonly api: string;
  readonly player?: Player;
  /** What to do, if it belongs to the sentence. */
  readonly children?: ComponentChildren;
}

/** The sponsor's blessing, the text for the player, and the best luck. */
export function StageCard({ api, player, children, ...props }: StageCardProps) {
  const { stage, extras } = props;
  return (
    <div class="card">
      {props.activity && <Blessing activity={props.activity} api={api} />}
      {isWaiting(stage) && !isOffline(props) && <div class="spinner" />}
      <p role="status">
        {sentenceOf(props)}
        {stage.at === 'won' && <span class="unseen"> {wonText(stage.win, props)}</span>}
      </p>
      <Details {...props} />
      {children}
      {extras && player && props.activity && (
        <extras.BestLuck {...props} player={player} activity={props.activity} />
      )}
    </div>
  );
}

type WaitingStage = Extract<Stage, { readonly at: 'loading' | 'asking' | 'joining' }>;

const isWaiting = (stage: Stage): stage is WaitingStage =>
  stage.at === 'loading' || stage.at === 'asking' || stage.at === 'joining';

/** The page was reloaded without a network, and shows what was seen before. */
const isOffline = ({ stage, known }: CardProps): boolean =>
  stage.at === 'loading' && stage.hurdle === 'unreachable' && known !== undefined;

/** One sentence with the player's stage. It is read aloud when it changes, so its element stays the same. */
function sentenceOf(props: CardProps): ComponentChildren {
  const { stage, activity, words } = props;
  if (isOffline(props)) return words.offline;
  if (isWaiting(stage)) return stage.hurdle ? words.hurdle[stage.hurdle] : words[stage.at];
  switch (stage.at) {
    case 'signed-out':
      return words.signedOut;
    case 'unknown':
      return props.asksForPassword ? words.passwordNeeded : words.unknown;
    case 'limit':
      return words.limit;
    case 'open':
      return activity?.audience ? words.unlisted.open(activity.packetCount) : words.open;
    case 'closed':
      if (activity?.cancelled) return words.cancelled;
      return activity?.audience ? words.unlisted.closed : words.closed;
    case 'scheduled':
      return words.opensIn;
    case 'not-yet':
      return words.moreIn;
    case 'won':
      return stage.win.isOld ? words.wonBefore : words.won;
    case 'sold-out':
      return stage.place ? placeOf(stage.place.position, words) : words.soldOut;
    case 'refused':
      return refusalText(stage.code, words);
  }
}

/** The number stands out of its sentence. */
function placeOf(position: number, words: Words) {
  const [before, after] = words.place(position).split(`${position}`);
  return (
    <>
      {before}
      <b class="countdown">{position}</b>
      {after}
    </>
  );
}

function Details(props: CardProps) {
  const { stage, words } = props;
  if (isOffline(props)) return <KnownRain {...props} known={props.known!} />;
  switch (stage.at) {
    case 'unknown':
      return props.asksForPassword ? null : <p class="hint">{words.unknownHint}</p>;
    case 'closed':
      return props.activity?.cancelled ? null : <p class="hint">{words.closedHint}</p>;
    case 'scheduled':
      return <Countdown {...props} atMs={stage.opensAtMs} hint={words.getReady} />;
    case 'not-yet':
      return <Countdown {...props} atMs={stage.nextAtMs} hint={words.tapsAgain} />;
    case 'won':
      return <WonPacket key={stage.win.redPacketId} {...props} win={stage.win} />;
    case 'sold-out':
      return <p class="hint">{soldOutHint(stage, words)}</p>;
    case 'refused':
      return stage.code ? <p class="hint">{words.code(stage.code)}</p> : null;
    default:
      return null;
  }
}

/** The state that was seen before a reload without a network. */
function KnownRain({ known: { activity, win }, words, language }: CardProps & { readonly known: Known }) {
  const moment = (at: string) =>
    new Date(at).toLocaleString(tagOf(language), { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <>
      <p class="hint">{words.lasts(moment(activity.opensAt), moment(activity.closesAt))}</p>
      {win && <p class="hint">{words.wonSoFar(moneyText(win.amount, activity.currency, language))}</p>}
    </>
  );
}

interface CountdownProps extends Pick<CardProps, 'nowMs'> {
  readonly atMs: number;
  readonly hint: string;
}

function Countdown({ atMs, nowMs, hint }: CountdownProps) {
  const seconds = useSecondsUntil(atMs, nowMs);
  return (
    <>
      <div class="countdown" role="timer">
        {clockText(seconds)}
      </div>
      <p class="hint">{hint}</p>
    </>
  );
}

const wonText = ({ amount }: Win, { activity, language }: CardProps, shown?: number): string =>
  moneyText(amount, activity?.currency ?? 'CNY', language, shown);

/** The amount counts up for the eye; the sentence above it has the amount for the ear. */
function WonPacket(props: CardProps & { readonly win: Win }) {
  const { win, wallet, code, activity, words, language, extras, said } = props;
  const isGone = win.settlement === 'credited' && Number(wallet?.balance ?? win.amount) < Number(win.amount);
  const shown = useCountUp(Number(win.amount));
  return (
    <>
      {!win.isOld && extras && <extras.Coins />}
      <div class="amount" data-settlement={win.settlement} aria-hidden="true">
        {wonText(win, props, shown)}
      </div>
      {isOfCodes(activity?.currency) ? (
        extras && <extras.CodeOfPacket {...{ win, code, language }} />
      ) : (
        <p role="status" class="settlement">
          {isGone ? words.wasCredited : words.settlement[win.settlement]}
        </p>
      )}
      {extras && <extras.PacketVerdict {...{ win, said, language }} />}
    </>
  );
}

function soldOutHint({ place, isFull = false }: Extract<Stage, { at: 'sold-out' }>, words: Words): string {
  if (place) return words.placeHint;
  return isFull ? words.full : words.waitHint;
}
