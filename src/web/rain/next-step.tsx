import type { ComponentChildren } from 'preact';
import { isInFrame } from '../kit/frame';
import { guestToken } from '../kit/guest';
import type { Language } from '../kit/language';
import type { Wallet } from '../kit/purse';
import type { Session } from '../kit/session';
import type { PageSettings } from '../kit/settings';
import type { LoadCheck, Said } from './packet-check';
import type { Activity, Player, Stage, WonCode } from './player';
import type { Words } from './words';

interface StepProps {
  readonly stage: Stage;
  readonly activity?: Activity;
  readonly words: Words;
  readonly language: Language;
  readonly session: Session;
  readonly settings: PageSettings;
  readonly player?: Player;
  readonly code?: WonCode;
  readonly shareCode?: string;
  readonly extras?: typeof import('./extras');
  /** The extras or the check did not load. */
  readonly isMissing?: boolean;
  readonly activityId: string;
  readonly loadCheck: LoadCheck;
  readonly said?: Said;
  readonly say: (said: Said) => void;
  readonly wallet?: Wallet;
  /** Missing as long as there is no wallet to open. */
  readonly openWallet?: () => void;
}

/** The next action of the player, within reach of a thumb. No stage is a dead end. */
export function NextStep(props: StepProps) {
  return (
    <>
      <StepOfStage {...props} />
      {props.isMissing && (
        <>
          <p role="alert" class="hint">
            {props.words.missing}
          </p>
          <button class="quiet" onClick={() => location.reload()}>
            {props.words.reload}
          </button>
        </>
      )}
    </>
  );
}

function StepOfStage(props: StepProps) {
  const { stage, activity, code, words, language, player, openWallet, extras, loadCheck, said, say } = props;
  const check = extras && <extras.RainCheck {...props} />;
  const share = extras && <extras.ShareLink {...props} />;
  switch (stage.at) {
    case 'signed-out':
      return check;
    case 'unknown':
      return isInFrame ? null : <WayOut words={words} />;
    case 'open':
    case 'asking':
      return (
        <Deed isBusy={stage.at === 'asking'} onClick={() => void player?.grab()}>
          {words[stage.at === 'open' ? 'grab' : 'asking']}
        </Deed>
      );
    case 'sold-out':
      if (stage.place || stage.isFull) return null;
      return <Deed onClick={() => void player?.joinWaitingList()}>{words.wait}</Deed>;
    case 'won':
      return (
        <>
          {extras && code?.shown && (
            <extras.CopyCode key={code.redPacketId} code={code.shown.code} language={language} />
          )}
          <a class="quiet" href="../me">
            {words.mine}
          </a>
          <a class="quiet" href="../send">
            {words.sendOwn}
          </a>
          {share}
          {extras && player && (
            <extras.PacketCheck {...{ player, language, loadCheck, said, say }} win={stage.win} />
          )}
        </>
      );
    case 'closed':
    case 'limit':
      return (
        <>
          {openWallet ? (
            // An empty wallet is not what to do next.
            <button class={Number(props.wallet?.balance) ? 'deed' : 'quiet'} onClick={openWallet}>
              {words.openWallet}
            </button>
          ) : (
            <Again {...{ words, player }} />
          )}
          {stage.at === 'closed' && !activity?.cancelled && check}
        </>
      );
    case 'refused':
      return <Again {...{ words, player }} />;
    case 'scheduled':
      return share;
    default:
      return null;
  }
}

interface DeedProps {
  readonly isBusy?: boolean;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}

const Deed = ({ isBusy = false, onClick, children }: DeedProps) => (
  <button class="deed" aria-disabled={isBusy} onClick={onClick}>
    {children}
  </button>
);

type PlayerProps = Pick<StepProps, 'words' | 'player'>;

const Again = ({ words, player }: PlayerProps) => (
  <Deed onClick={() => void player?.refresh()}>{words.again}</Deed>
);

/** The front page of the server of this page. */
const WayOut = ({ words }: { readonly words: Words }) => (
  <a class="quiet" href="../">
    {words.frontPage}
  </a>
);

/** It stands in the card, below the sentence that asks for it. */
export function SignedOut({ words, session, settings }: Pick<StepProps, 'words' | 'session' | 'settings'>) {
  const play = async () => session.use(await guestToken(settings));
  if (settings.guests) return <Deed onClick={() => void play()}>{words.playAsGuest}</Deed>;
  return isInFrame ? (
    <Deed onClick={() => session.requestToken()}>{words.askApp}</Deed>
  ) : (
    <WayOut words={words} />
  );
}
