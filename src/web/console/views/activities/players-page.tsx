import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { keep, kept } from '../../../kit/kept';
import { type Moment, MOMENTS, PREVIEW, PREVIEW_FRAGMENT, PREVIEW_WANTED } from '../../../kit/preview';
import { keyFragment } from '../../../kit/rain-link';
import { readSettings } from '../../../kit/settings';
import { useModule } from '../../../kit/use-module';
import { type Asked, useAnswer } from '../../ui/asking';
import { Confirmed } from '../../ui/confirmed';
import { Field } from '../../ui/form';
import { Complaint } from '../../ui/outcome';
import { words } from '../../words';
import { type LookDraft, LookForm } from './look-form';
import { themeDraftOf, themeOf } from './terms/theme-fields';

type Activity = Schema<'ActivityDto'>;

interface PlayersPageProps {
  readonly api: ApiClient;
  readonly activity: Activity;
  readonly onDone: () => void;
}

/** The page of a rain as players get it: its link, its code, and how it looks while its look is chosen. */
export function PlayersPage({ api, activity, onDone }: PlayersPageProps) {
  const [draft, setDraft] = useState<LookDraft>(() => ({ theme: themeDraftOf(activity.theme ?? undefined) }));
  const { theme, logo = activity.logo } = draft;
  return (
    <section class="players-page" aria-label={words.players.title}>
      <div class="columns">
        <div>
          <Invitation api={api} activity={activity} />
          <LookForm
            {...{ api, activity, draft, onDone }}
            onDraft={(change) => setDraft((now) => ({ ...now, ...change }))}
          />
        </div>
        <Preview activity={{ ...activity, theme: themeOf(theme) ?? null, logo }} />
      </div>
    </section>
  );
}

/** Where players reach the page: staff may be at another address. */
const KEPT_AS = 'hongbao.players-address';

const playersAddress = (): string => kept(KEPT_AS) ?? readSettings().api;

/** The page of a rain as players reach it. */
export const playersLink = (id: string, address = playersAddress()): string =>
  `${address.replace(/\/+$/, '')}/rain/${id}`;

type Audience = Schema<'AudienceDto'>;

/** Without the code of an activity, its link would lead nowhere. */
function Invitation({ api, activity: { id, audience } }: Pick<PlayersPageProps, 'api' | 'activity'>) {
  const asked = useAnswer<Audience>(
    (options) => (audience ? api.readActivityAudience(id, options) : Promise.resolve({ kind: 'public' })),
    [api, id, audience?.kind],
  );
  if (!asked.value) return <Complaint fault={asked.fault} />;
  return <Ways {...{ api, id }} asked={asked} audience={asked.value} />;
}

interface WaysProps {
  readonly api: ApiClient;
  readonly id: string;
  readonly asked: Asked<Audience>;
  readonly audience: Audience;
}

function Ways({ api, id, asked, audience }: WaysProps) {
  const [address, setAddress] = useState(playersAddress);
  const [isCopied, setCopied] = useState(false);
  const link = playersLink(id, address) + keyFragment(audience);
  const rotate = async (key: string) => {
    await api.rotateShareCode(id, { key });
    asked.ask();
    setCopied(false);
    return words.players.rotated;
  };
  const change = (text: string) => {
    setAddress(text);
    setCopied(false);
    keep(KEPT_AS, text);
  };
  const copy = async () => {
    await navigator.clipboard.writeText(link);
    setCopied(true);
  };
  return (
    <div class="panel invitation">
      <Code link={link} />
      <div>
        <p>
          <a href={link} target="_blank" rel="noreferrer">
            {link}
          </a>
        </p>
        <div class="row">
          <button type="button" onClick={() => void copy().catch(() => undefined)}>
            {words.players.copy}
          </button>
          <span role="status" class="done">
            {isCopied && words.players.copied}
          </span>
          {audience.shareCode !== undefined && (
            <Confirmed
              title={words.players.rotate}
              consequence={words.players.rotateWill}
              onConfirm={rotate}
            />
          )}
        </div>
        <Field
          label={words.players.address}
          hint={words.players.addressHint}
          value={address}
          onValue={change}
          required={false}
        />
      </div>
    </div>
  );
}

/** Light modules around the code, which scanners need. */
const QUIET_ZONE = 4;

/** Black on white in the dark scheme as well: many scanners read nothing else. */
function Code({ link }: { readonly link: string }) {
  const { module, isMissing } = useModule(() => import('./link-code'));
  if (isMissing) return <p role="alert">{words.players.noCode}</p>;
  const code = module?.codeOf(link);
  const side = (code?.size ?? 0) + 2 * QUIET_ZONE;
  return (
    <figure>
      <svg
        class="code"
        role="img"
        aria-label={words.players.code}
        viewBox={`${-QUIET_ZONE} ${-QUIET_ZONE} ${side} ${side}`}
      >
        <path d={code?.path} />
      </svg>
      {code && (
        <a href={code.file} download="rain.svg">
          {words.players.save}
        </a>
      )}
    </figure>
  );
}

/** The page itself, in a frame, which this page tells what to show. */
function Preview({ activity }: { readonly activity: Activity }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [moment, setMoment] = useState<Moment>('open');
  const message = JSON.stringify({ type: PREVIEW, activity, moment });
  useEffect(() => {
    const page = () => frame.current?.contentWindow;
    const show = () => page()?.postMessage(JSON.parse(message), location.origin);
    const hear = ({ source, data }: MessageEvent<{ readonly type?: string } | null>) => {
      if (source === page() && data?.type === PREVIEW_WANTED) show();
    };
    show();
    addEventListener('message', hear);
    return () => removeEventListener('message', hear);
  }, [message]);
  const { players } = words;
  return (
    <section class="preview" aria-label={players.preview}>
      <h2>{players.preview}</h2>
      <div class="row" role="group" aria-label={players.moment}>
        {MOMENTS.map((one) => (
          <button key={one} type="button" aria-pressed={one === moment} onClick={() => setMoment(one)}>
            {players.moments[one]}
          </button>
        ))}
      </div>
      <iframe
        ref={frame}
        class="phone"
        title={players.preview}
        inert
        src={`${readSettings().basePath}/rain/${activity.id}${PREVIEW_FRAGMENT}`}
      />
    </section>
  );
}
