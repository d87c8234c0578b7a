import type { ApiClient, Schema } from '../../../../libs/client';
import { may } from '../session/staff';
import { Link } from '../ui/address';
import { usePages } from '../ui/asking';
import { Bulk, type BulkDeed } from '../ui/bulk/bulk';
import { useRowChoice } from '../ui/bulk/row-choice';
import { amountColumn, momentColumn } from '../ui/columns';
import { Confirmed } from '../ui/confirmed';
import { ChoiceFilter, Filters, TextFilter } from '../ui/filters';
import { Lead, sumText } from '../ui/lead';
import { type Column, Table } from '../ui/table';
import { words } from '../words';
import type { ViewProps } from './view-props';
import { isPaidSoon } from './letter-outcome';
import { userColumn } from './wallets/wallet-link';
import { WinLink } from './wins/win-link';

type DeadLetter = Schema<'DeadLetterDto'>;
type Reason = DeadLetter['reason'];

const columns = (isOpen: boolean): readonly Column<DeadLetter>[] => [
  {
    name: 'activity',
    title: words.labels.activityId,
    value: ({ activityId }) => Number(activityId),
    cell: ({ activityId }) => <Link to={['activities', activityId]}>{words.activity.title(activityId)}</Link>,
  },
  userColumn(),
  amountColumn(),
  {
    name: 'reason',
    title: words.labels.reason,
    value: ({ reason }) => reason,
    cell: ({ reason, lastError }) => (
      <span title={lastError ?? undefined}>{words.deadLetters.reasons[reason]}</span>
    ),
  },
  { name: 'attempts', title: words.common.attempts, value: ({ attempts }) => attempts, isNumber: true },
  // All rows are open, so no row says so.
  ...(isOpen ? [] : [statusColumn()]),
  momentColumn('since', words.common.since, 'createdAt'),
  {
    name: 'id',
    title: words.common.id,
    value: ({ id }) => Number(id),
    cell: (letter) => <WinLink win={letter}>{letter.id}</WinLink>,
    isNumber: true,
  },
];

const statusColumn = (): Column<DeadLetter> => ({
  name: 'status',
  title: words.common.status,
  value: ({ status }) => status,
  cell: ({ status, resolution }) =>
    [words.deadLetters.statuses[status], resolution].filter(Boolean).join(': '),
  isProse: true,
});

const keyOf = ({ id }: DeadLetter): string => id;
const moneyOf = ({ amount, currency }: DeadLetter): string => `${amount} ${currency}`;
const nameOf = (letter: DeadLetter): string => `${letter.id} · ${letter.userId} · ${moneyOf(letter)}`;
const isReplayable = ({ status }: DeadLetter): boolean => status === 'open' || status === 'resolved';
const isHeld = ({ reason }: DeadLetter): boolean => reason === 'held';

const bulkDeeds = (api: ApiClient): readonly BulkDeed<DeadLetter>[] => [
  {
    title: words.deadLetters.replay,
    will: words.deadLetters.payEachWill,
    isFor: (letter) => isReplayable(letter) && !isHeld(letter),
    perform: async (letter, key) => {
      await api.replayDeadLetter(letter.id, { key });
      await isPaidSoon(api, letter);
    },
  },
  {
    title: words.deadLetters.release,
    will: words.deadLetters.payEachWill,
    isFor: (letter) => isReplayable(letter) && isHeld(letter),
    perform: async (letter, key) => {
      await api.releaseClaim(letter.claimId, { key });
      await isPaidSoon(api, letter);
    },
  },
  {
    title: words.deadLetters.resolve,
    will: words.deadLetters.resolveEachWill,
    isFor: ({ status }) => status === 'open',
    reason: words.labels.reason,
    perform: ({ id }, key, reason) => api.resolveDeadLetter(id, { reason }, { key }),
  },
];

export function DeadLettersView({ api, person, address: { query } }: ViewProps) {
  const { status = 'open', activity = '', user = '', reason = '' } = query;
  const isAllOpen = status === 'open' && [activity, user, reason].join('') === '';
  const filter = filterOf(activity, user, reason);
  const list = usePages(
    (cursor, options) =>
      api.listDeadLetters({ limit: 50, cursor, status: status as DeadLetter['status'], ...filter }, options),
    [api, status, activity, user, reason],
  );
  const deeds: Column<DeadLetter> = {
    name: 'deeds',
    title: words.common.deeds,
    value: () => null,
    isShownOnly: true,
    cell: (letter) => <LetterDeeds api={api} letter={letter} onDone={list.ask} />,
  };
  const mayDecide = may(person, 'manage-money');
  const choice = useRowChoice(list.rows, keyOf, nameOf);
  const rows = list.rows ?? [];
  /** Held wins are only replayed by those who ask for them. */
  const replayed = reason === '' ? rows.filter((letter) => !isHeld(letter)) : rows;
  return (
    <>
      <div class="row">
        <h1>{words.navigation.parts['dead-letters']}</h1>
        {mayDecide && status === 'open' && replayed.length > 0 && (
          <ReplayMany
            {...{ api, filter }}
            count={list.more ? undefined : replayed.length}
            onDone={list.ask}
          />
        )}
      </div>
      <p class="about">{words.deadLetters.intro}</p>
      {status === 'open' &&
        rows.length > 0 &&
        (list.more ? (
          <Lead figure={`${rows.length}+`}>{words.deadLetters.unpaidMany}</Lead>
        ) : (
          <Lead figure={sumText(rows)}>{words.deadLetters.unpaid(rows.length)}</Lead>
        ))}
      <Filters>
        <ChoiceFilter
          name="status"
          label={words.common.status}
          value={status}
          options={words.deadLetters.statuses}
        />
        <TextFilter name="activity" label={words.labels.activityId} value={activity} />
        <TextFilter name="user" label={words.labels.userId} value={user} />
        <ChoiceFilter
          name="reason"
          label={words.labels.reason}
          value={reason}
          options={{ '': words.common.any, ...words.deadLetters.reasons }}
        />
      </Filters>
      {mayDecide && <Bulk {...{ choice, keyOf }} deeds={bulkDeeds(api)} onDone={list.ask} />}
      <Table
        caption={words.navigation.parts['dead-letters']}
        columns={[...columns(status === 'open'), ...(mayDecide ? [deeds] : [])]}
        {...{ list, keyOf }}
        choice={mayDecide && list.rows?.some(isReplayable) ? choice : undefined}
        empty={isAllOpen ? words.deadLetters.nothing : words.common.thereAreNone}
      />
    </>
  );
}

interface LetterDeedsProps {
  readonly api: ApiClient;
  readonly letter: DeadLetter;
  /** The page is about this one. */
  readonly isAlone?: boolean;
  readonly onDone: () => void;
}

export function LetterDeeds({ api, letter, isAlone = false, onDone }: LetterDeedsProps) {
  const { id, userId, status } = letter;
  const money = moneyOf(letter);
  const said = words.deadLetters;
  if (status !== 'open' && status !== 'resolved') return null;
  const lettersNow = (ended: string) => ({ to: ['dead-letters'], query: { status: ended, user: userId } });
  const replay = async (key: string) => {
    await (isHeld(letter) ? api.releaseClaim(letter.claimId, { key }) : api.replayDeadLetter(id, { key }));
    const isPaid = await isPaidSoon(api, letter).finally(onDone);
    const text = isPaid ? said.paid(money, userId) : said.onItsWay(money, userId);
    return { text, ...lettersNow('replayed') };
  };
  const resolve = async (key: string, reason: string) => {
    await api.resolveDeadLetter(id, { reason }, { key });
    onDone();
    return { text: said.resolved(money, userId), ...lettersNow('resolved') };
  };
  const declareVoid = async (key: string, reason: string) => {
    const declared = await api.voidDeadLetter(id, { reason, status }, { key });
    onDone();
    return declared.status === 202
      ? { text: words.common.needsApproval, to: ['approvals'] }
      : { text: said.voided(money, userId), ...lettersNow('void') };
  };
  return (
    <span class="row">
      <Confirmed
        isMain={isAlone}
        title={isHeld(letter) ? said.release : said.replay}
        consequence={said.replayWill(money, userId)}
        onConfirm={replay}
      />
      {status === 'open' && (
        <Confirmed
          title={said.resolve}
          reason={words.labels.reason}
          consequence={said.resolveWill(money)}
          onConfirm={resolve}
        />
      )}
      <Confirmed
        title={said.void}
        reason={words.labels.reason}
        isDangerous
        typed={userId}
        consequence={said.voidWill(money, userId)}
        onConfirm={declareVoid}
      />
    </span>
  );
}

interface ReplayManyProps {
  readonly api: ApiClient;
  readonly filter: Filter;
  /** How many they are, if all are known. */
  readonly count?: number;
  readonly onDone: () => void;
}

/** Replays all letters of the filter, not only those that the list shows. */
function ReplayMany({ api, filter, count, onDone }: ReplayManyProps) {
  const replay = async (key: string) => {
    const { replayed } = await api.replayDeadLetters(filter, { key });
    onDone();
    const { activityId: activity = '', userId: user = '', reason = '' } = filter;
    const query = { status: 'replayed', activity, user, reason };
    return { text: words.deadLetters.replayedMany(replayed), to: ['dead-letters'], query };
  };
  return (
    <Confirmed
      isMain
      title={count === undefined ? words.deadLetters.replayAll : words.deadLetters.replayMany(count)}
      consequence={words.deadLetters.replayManyWill(whichOf(filter))}
      onConfirm={replay}
    />
  );
}

interface Filter {
  readonly activityId?: string;
  readonly userId?: string;
  readonly reason?: Reason;
}

const filterOf = (activity: string, user: string, reason: string): Filter => ({
  ...(activity && { activityId: activity }),
  ...(user && { userId: user }),
  ...(reason && { reason: reason as Reason }),
});

const whichOf = ({ activityId, userId, reason }: Filter): string =>
  words.deadLetters.which(activityId, userId, reason && words.deadLetters.reasons[reason]);
