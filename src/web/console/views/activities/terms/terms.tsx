import type { ComponentChildren } from 'preact';
import type { ApiClient, Schema } from '../../../../../../libs/client';
import { Facts, When } from '../../../ui/facts';
import { words } from '../../../words';
import { labelAt } from '../../../words/labels';
import { momentText } from '../../../words/language';
import { useChannelNames } from '../../payouts/channels/channels-at-hand';
import { audienceText, Whom } from './audience-fields';
import { splitFacts } from './split-fields';

type Creation = Schema<'CreateActivityBody'>;
type Rules = Pick<Schema<'ActivityDto'>, 'admission' | 'limits' | 'pace' | 'closesAt'> & {
  readonly showsBestLuck?: boolean;
  readonly payout?: Creation['payout'] | null;
};
type NamedFacts = Readonly<Record<string, ComponentChildren>>;

interface TermsProps {
  readonly api: ApiClient;
  readonly activity: Schema<'ActivityDto'>;
}

/** The rules of an activity: taps, wins of one user, the release of packets, and payouts. */
export function Terms({ api, activity }: TermsProps) {
  const { id, audience } = activity;
  const whom = audience && { [words.labels.audience]: <Whom api={api} id={id} /> };
  return <Facts label={words.terms.label} facts={{ ...whom, ...ruleFacts(api, activity) }} />;
}

interface RequestedTermsProps {
  readonly api: ApiClient;
  /** The body of a request, in which values that are not text are JSON. */
  readonly terms: Schema<'ApprovalDto'>['terms'];
}

/** A creation or top-up with everything that was requested, including fields that this page does not know. */
export function RequestedTerms({ api, terms }: RequestedTermsProps) {
  const { name, sponsorId, totalAmount, amount, packetCount, opensAt, closesAt, ...more } = terms;
  const { split, audience, admission, limits, pace, payout, theme, showsBestLuck, ...others } = more;
  const { labels } = words;
  const rules = {
    admission,
    limits: read(limits),
    pace: read<Creation['pace']>(pace),
    payout: read(payout),
    closesAt,
    showsBestLuck: read(showsBestLuck),
  };
  return (
    <Facts
      label={words.terms.label}
      facts={{
        [labels.name]: name,
        [labels.sponsorId]: sponsorId,
        [labels.totalAmount]: totalAmount,
        [labels.amount]: amount,
        [labels.packetCount]: packetCount,
        ...(split && splitFacts(read<Creation['split']>(split)!)),
        [labels.audience]: audience && audienceText(read<Creation['audience']>(audience)!),
        [labels.opensAt]: opensAt && <When at={opensAt} />,
        [labels.closesAt]: closesAt && <When at={closesAt} />,
        ...(closesAt
          ? ruleFacts(api, rules as Rules)
          : rules.pace && { [labels.pace]: <Pace pace={rules.pace} /> }),
        ...(theme && lookFacts(read<Creation['theme']>(theme)!)),
        ...Object.fromEntries(Object.entries(others).map(([key, text]) => [labelAt(key) ?? key, text])),
      }}
    />
  );
}

const read = <T,>(json: string | undefined): T | undefined =>
  json === undefined ? undefined : (JSON.parse(json) as T);

function lookFacts({ sender, greeting, colors }: NonNullable<Creation['theme']>): NamedFacts {
  const { labels } = words;
  return {
    [labels['theme.sender']]: sender,
    [labels['theme.greeting']]: greeting,
    [labels['theme.colors.background']]: colors?.background,
    [labels['theme.colors.foreground']]: colors?.foreground,
    [labels['theme.colors.accent']]: colors?.accent,
  };
}

function ruleFacts(
  api: ApiClient,
  { admission = 'open', limits, showsBestLuck = false, pace, payout, closesAt }: Rules,
): NamedFacts {
  const { labels, terms: said } = words;
  return {
    [labels.admission]: words.admission.kinds[admission],
    [labels.limits]: limits ? undefined : said.noLimits,
    [labels['limits.perUserPerDay']]:
      limits?.perUserPerDay && said.perDay(limits.perUserPerDay, limits.timeZone ?? 'UTC'),
    [labels['limits.perUser']]: limits?.perUser,
    [labels['limits.group']]: limits && (limits.group ?? 'default'),
    [labels.showsBestLuck]: words.bestLuck[showsBestLuck ? 'yes' : 'no'],
    [labels.pace]: <Pace pace={pace} closesAt={closesAt} />,
    [labels['payout.channelId']]: payout ? <ChannelName api={api} id={payout.channelId} /> : said.noPayout,
    [labels['payout.days']]: payout?.days,
  };
}

/** The name of a channel, or its id until the name is read, and after it is deleted. */
function ChannelName({ api, id }: { readonly api: ApiClient; readonly id: string }) {
  return <>{useChannelNames(api)[id] ?? id}</>;
}

function Pace({ pace, closesAt }: Partial<Pick<Rules, 'pace' | 'closesAt'>>) {
  if (!pace) return <>{words.pace.kinds.none}</>;
  if (pace.kind === 'waves')
    return (
      <>{words.terms.waves(pace.waves.map(({ at, count }) => `${momentText(at)} × ${count}`).join(', '))}</>
    );
  const until = pace.until ?? closesAt;
  if (!until) return <>{words.pace.kinds.even}</>;
  return (
    <>
      {words.terms.even}
      <When at={until} />
    </>
  );
}
