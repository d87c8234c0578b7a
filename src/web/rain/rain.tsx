import { useEffect, useMemo, useState } from 'preact/hooks';
import { type ActivityKeys, ApiClient, Line } from '../../../libs/client';
import { type Language, preferredLanguage, speak } from '../kit/language';
import type { Session } from '../kit/session';
import { useModule } from '../kit/use-module';
import { useToken } from '../kit/use-token';
import type { PageSettings } from '../kit/settings';
import { wantsStillness } from './counting';
import { fetchOnce } from './first-answers';
import { useKnown } from './known';
import { NextStep, SignedOut } from './next-step';
import { keepPage } from './offline';
import type { Said } from './packet-check';
import { isPreview, mayBeRain } from './place';
import { NOTHING_KNOWN, Player, type Stage, type View } from './player';
import { usePreview } from './preview';
import { PurseButton } from './purse-button';
import { useSenses } from './senses';
import { Sky } from './sky';
import { StageCard } from './stage-card';
import { useColors } from './theme';
import { WORDS } from './words';

interface RainProps {
  readonly activityId: string;
  readonly settings: PageSettings;
  readonly session: Session;
}

/** The view without a player. */
const NOBODY: View = { stage: { at: mayBeRain ? 'signed-out' : 'unknown' }, ...NOTHING_KNOWN };

/** The view of a player who has not begun. */
const STARTING: View = { stage: { at: 'loading' }, ...NOTHING_KNOWN };

export function Rain({ activityId, settings, session }: RainProps) {
  const [language, setLanguage] = useState<Language>(preferredLanguage);
  const [isWalletOpen, setWalletOpen] = useState(false);
  const token = useToken(session);
  const preview = usePreview();
  const { player, view: own } = usePlayer(settings.api, activityId, token, session);
  const view = preview ?? own;
  const { stage, wallet, purse, code, shareCode, isLive } = view;
  const known = useKnown(activityId, isPreview ? undefined : token, view);
  const activity = view.activity ?? known?.activity;
  const words = WORDS[language];
  const { module: extras, isMissing } = useModule(() => import('./extras'), stage.at !== 'loading');
  const title = activity?.name ?? words.title;
  // Between people, the name is the greeting on the card.
  const heading = title === activity?.theme?.greeting ? words.title : title;
  useEffect(() => {
    speak(language);
    document.title = title;
  }, [language, title]);
  useColors(activity?.theme);
  const senses = useSenses(stage);
  useEffect(() => {
    // The button that was pressed is gone, and the focus with it.
    if (stage.at === 'won' && !stage.win.isOld && document.activeElement === document.body)
      document.querySelector<HTMLElement>('footer .quiet')?.focus({ preventScroll: true });
  }, [stage.at]);
  // The first answers come first.
  useEffect(() => void (own.activity && keepPage()), [own.activity === undefined]);
  const [said, say] = useState<Said>();
  const [isCheckMissing, setCheckMissing] = useState(false);
  const loadCheck = () =>
    import('../kit/check-proof').catch((error: unknown) => {
      setCheckMissing(true);
      throw error;
    });
  const nowMs = () => player?.clock.nowMs() ?? Date.now();

  return (
    <main class={`rain at-${stage.at}`}>
      <header>
        <h1 title={heading}>{heading}</h1>
        <button
          class="quiet"
          lang={language === 'en' ? 'zh-CN' : 'en'}
          onClick={() => setLanguage(other(language))}
        >
          {words.otherLanguage}
        </button>
        <div class="line">
          {player && wallet && (
            <PurseButton
              {...{ player, purse, wallet, words, language, extras }}
              isOpen={isWalletOpen}
              onOpen={setWalletOpen}
            />
          )}
        </div>
        {player && !wantsStillness() && (
          <button class="quiet senses" role="switch" aria-checked={senses.isOn} onClick={senses.toggle}>
            {words.senses}
          </button>
        )}
      </header>
      {(isFalling(stage) || stage.at === 'signed-out') && <Sky onTap={() => void player?.grab()} />}
      {activity?.rehearsal && <p class="rehearsal">{words.rehearsal}</p>}
      <StageCard
        {...{ stage, activity, wallet, code, known, player, words, language, nowMs, extras, said }}
        asksForPassword={session.asksForPassword}
        api={settings.api}
      >
        {stage.at === 'signed-out' && <SignedOut {...{ words, session, settings }} />}
        {stage.at === 'unknown' && player && extras && (
          <extras.PasswordForm {...{ player, language }} outcome={stage.password} />
        )}
      </StageCard>
      <footer>
        {player && !isLive && activity && <p class="hint">{words.quiet}</p>}
        <NextStep
          {...{ stage, activity, code, shareCode, words, language, session, settings, player, extras }}
          isMissing={isMissing || isCheckMissing}
          {...{ activityId, loadCheck, said, say, wallet }}
          openWallet={wallet && (() => setWalletOpen(true))}
        />
      </footer>
    </main>
  );
}

function usePlayer(api: string, activityId: string, token: string | undefined, session: Session) {
  const [view, setView] = useState<View>(NOBODY);
  const { shareCode, password } = useKeys(session);
  const player = useMemo(() => {
    if (!token || !mayBeRain || isPreview) return undefined;
    const keys = { shareCode, password };
    const client = new ApiClient(api, token, { fetch: fetchOnce, ...keys });
    return new Player(client, new Line(client, api, token, keys), activityId, setView, session);
  }, [api, activityId, token, shareCode, password]);
  useEffect(() => {
    if (!player) return;
    player.start();
    const look = () => document.visibilityState === 'visible' && player.onFront();
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      player.stop();
      setView(NOBODY);
    };
  }, [player]);
  return { player, view: player && view === NOBODY ? STARTING : view };
}

function useKeys(session: Session): ActivityKeys {
  const [keys, setKeys] = useState(session.keys);
  useEffect(() => session.onChange(() => setKeys(session.keys)), [session]);
  return keys;
}

const isFalling = ({ at }: Stage): boolean => at === 'open' || at === 'asking';

const other = (language: Language): Language => (language === 'en' ? 'zh' : 'en');
