import { useEffect } from 'preact/hooks';
import { usePages } from '../../ui/asking';
import { momentColumn } from '../../ui/columns';
import { type Column, Table } from '../../ui/table';
import { Link } from '../../ui/address';
import { words } from '../../words';
import type { ViewProps } from '../view-props';
import { type Approval, outcomeColumn, requestColumns, resultOf } from './approval-texts';
import { sawDecisions } from './decided-requests';

const columns = (): readonly Column<Approval>[] => [
  ...requestColumns(),
  momentColumn('asked', words.requests.asked, 'askedAt'),
  outcomeColumn(words.requests.became),
  {
    name: 'result',
    title: words.requests.result,
    value: () => null,
    isShownOnly: true,
    cell: (approval) =>
      approval.status === 'approved' && <Link {...resultOf(approval)}>{words.common.seeResult}</Link>,
  },
];

/** The requests of the person, and their outcomes. Seeing them puts out the sign in the navigation. */
export function MyRequests({ api, person }: ViewProps) {
  const list = usePages(
    (cursor, options) => api.listMyApprovals({ limit: 50, cursor }, options),
    [api, person.sub],
  );
  const { rows } = list;
  const standing = rows?.map(({ id, status }) => `${id} ${status}`).join();
  useEffect(() => {
    if (rows) sawDecisions(person, rows);
  }, [standing]);
  return (
    <>
      <p class="about">{words.requests.intro}</p>
      <Table
        caption={words.requests.title}
        columns={columns()}
        list={list}
        keyOf={({ id }) => id}
        empty={words.requests.none}
      />
    </>
  );
}
