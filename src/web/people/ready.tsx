import { generate } from 'lean-qr';
import { toSvgPath } from 'lean-qr/extras/svg';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { keyFragment } from '../kit/rain-link';
import { moneyText } from '../kit/money';
import { ShareButton } from '../kit/share-button';
import type { Sent, Visit } from './visit';

/** Light modules around the code, which scanners need. */
const QUIET_ZONE = 4;

export const linkTo = (activityId: string, audience: Sent['audience']): string =>
  new URL(`rain/${activityId}`, location.href.replace(/[?#].*$/, '')).href + keyFragment(audience);

/** The packets are there: now others have to hear of them. */
export function Ready({
  words,
  language,
  activity,
  audience,
  word,
  isWordInTerms,
  onAnother,
}: Visit & Sent & { onAnother: () => void }) {
  const title = useRef<HTMLHeadingElement>(null);
  const link = linkTo(activity.id, audience);
  const { totalAmount, currency, packetCount, name } = activity;
  useEffect(() => title.current?.focus(), []);
  return (
    <section class="card">
      <h2 ref={title} tabIndex={-1}>
        {words.ready}
      </h2>
      <p class="amount">{moneyText(totalAmount, currency, language)}</p>
      <p class="hint">{words.packets(packetCount, name)}</p>
      {audience.password !== undefined && <p>{words.tellPassword(audience.password)}</p>}
      {audience.userIds && <p class="hint">{words.onlyFor(audience.userIds.join(', '))}</p>}
      <ShareButton class="deed" url={link} text={name} label={words.sendOn} words={words} />
      <Code link={link} label={words.code} />
      <p class="hint">{words.howTo}</p>
      <input
        class="link"
        readOnly
        aria-label={words.link}
        value={link}
        onFocus={(event) => event.currentTarget.select()}
      />
      {isWordInTerms === false && (
        <p role="alert" class="fault">
          {words.wordMissing}
        </p>
      )}
      {word ? (
        <details>
          <summary>{words.drawn.sponsor}</summary>
          <p class="hint">{words.keepWord}</p>
          <p class="hint word">{word.sponsorSeed}</p>
        </details>
      ) : (
        <p class="hint">{words.drawn.server}</p>
      )}
      <div class="ways">
        <a class="quiet" href={link}>
          {words.openOwn}
        </a>
        <a class="quiet" href="me#sent">
          {words.whoGot}
        </a>
        <button class="quiet" onClick={onAnother}>
          {words.another}
        </button>
      </div>
    </section>
  );
}

/** Black on white in the dark scheme as well: many scanners read nothing else. */
function Code({ link, label }: { readonly link: string; readonly label: string }) {
  const code = useMemo(() => generate(link), [link]);
  const side = code.size + 2 * QUIET_ZONE;
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`${-QUIET_ZONE} ${-QUIET_ZONE} ${side} ${side}`}>
      <path d={toSvgPath(code)} />
    </svg>
  );
}
