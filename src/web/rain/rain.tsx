import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiClient, Line } from '../../../libs/client';
import { type Language, preferredLanguage, speak } from '../kit/language';
import type { Session } from '../kit/session';
import { useToken } from '../kit/use-token';
import type { PageSettings } from '../kit/settings';
import { wantsStillness } from './counting';
import { fetchOnce } from './first-answers';
import { guestToken } from './guest';
import { useKnown } from './known';
import { keepPage } from './offline';
import { PacketCheck } from './packet-check';
import { NOTHING_KNOWN, Player, type Stage, type View } from './player';
import { PurseButton } from './purse-button';
import { useSenses } from './senses';
import { ShareButton } from './share-button';
import { Sky } from './sky';
import { StageCard } from './stage-card';
import { useColors } from './theme';
import { WORDS, type Words } from './words';

interface RainProps {
  readonly activityId: string;
  readonly settings: PageSettings;
  readonly session: Session;
}

const SIGNED_OUT: View = { stage: { at: 'signed-out' }, ...NOTHING_KNOWN };

export function Rain({ activityId, settings, session }: RainProps) {
  const [language, setLanguage] = useState<Language>(preferredLanguage);
  const token = useToken(session);
  const { player, view } = usePlayer(settings.api, activityId, token, session);
  const { stage, wallet, purse, isLive } = view;
  const known = useKnown(activityId, token, view);
  const activity = view.activity ?? known?.activity;
  const words = WORDS[language];
  const title = activity?.name ?? words.title;
  useEffect(() => {
    speak(language);
    document.title = title;
  }, [language, title]);
  useColors(activity?.theme);
  const senses = useSenses(stage);
  // The first answers come first.
  useEffect(() => void (view.activity && keepPage()), [view.activity === undefined]);
  const nowMs = () => player?.clock.nowMs() ?? Date.now();

  return (
    <main class={`rain at-${stage.at}`}>
      <header>
        <h1>{title}</h1>
        <button
          class="quiet"
          lang={language === 'en' ? 'zh-CN' : 'en'}
          onClick={() => setLanguage(other(language))}
        >
          {words.otherLanguage}
        </button>
        <div class="line">
          {player && wallet && <PurseButton {...{ player, purse, wallet, words, language }} />}
        </div>
        {player && !wantsStillness() && (
          <button class="quiet senses" role="switch" aria-checked={senses.isOn} onClick={senses.toggle}>
            {words.senses}
          </button>
        )}
      </header>
      {isFalling(stage) && <Sky onTap={() => void player?.grab()} />}
      <StageCard {...{ stage, activity, wallet, known, player, words, language, nowMs }} api={settings.api} />
      <footer>
        {player && !isLive && activity && <p class="hint">{words.quiet}</p>}
        <Deed {...{ stage, words, player }} />
        {token === undefined && settings.guests && <GuestButton {...{ settings, session, words }} />}
      </footer>
    </main>
  );
}

function usePlayer(api: string, activityId: string, token: string | undefined, session: Session) {
  const [view, setView] = useState<View>(SIGNED_OUT);
  const player = useMemo(() => {
    if (!token) return undefined;
    const client = new ApiClient(api, token, { fetch: fetchOnce });
    return new Player(client, new Line(client, api, token), activityId, setView, session);
  }, [api, activityId, token]);
  useEffect(() => {
    if (!player) return;
    player.start();
    const look = () => document.visibilityState === 'visible' && player.onFront();
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      player.stop();
      setView(SIGNED_OUT);
    };
  }, [player]);
  return { player, view };
}

/** The only action that is currently possible, within reach of a thumb. */
function Deed({ stage, words, player }: { stage: Stage; words: Words; player?: Player }) {
  if (!player) return null;
  if (stage.at === 'open' || stage.at === 'asking')
    return (
      <button class="deed" aria-disabled={stage.at === 'asking'} onClick={() => void player.grab()}>
        {words.grab}
      </button>
    );
  if (stage.at === 'sold-out' && !stage.place && !stage.isFull)
    return (
      <button class="deed" onClick={() => void player.joinWaitingList()}>
        {words.wait}
      </button>
    );
  if (stage.at === 'won')
    return (
      <>
        <PacketCheck key={stage.win.redPacketId} {...{ player, words }} win={stage.win} />
        <ShareButton words={words} />
      </>
    );
  if (stage.at === 'refused')
    return (
      <button class="deed" onClick={() => void player.refresh()}>
        {words.again}
      </button>
    );
  return null;
}

function GuestButton({
  settings,
  session,
  words,
}: {
  settings: PageSettings;
  session: Session;
  words: Words;
}) {
  const play = async () => session.use(await guestToken(settings));
  return (
    <button class="deed" onClick={() => void play()}>
      {words.playAsGuest}
    </button>
  );
}

const isFalling = ({ at }: Stage): boolean => at === 'open' || at === 'asking';

const other = (language: Language): Language => (language === 'en' ? 'zh' : 'en');
