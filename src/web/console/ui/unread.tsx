import { words } from '../words';
import type { Asked } from './asking';
import { Complaint } from './outcome';

/** Why a page has nothing to show. */
export function Unread({
  asked: { value, fault },
}: {
  readonly asked: Pick<Asked<unknown>, 'value' | 'fault'>;
}) {
  if (!fault && value === undefined)
    return (
      <p role="status" class="skeleton">
        {words.common.loading}
      </p>
    );
  return <Complaint fault={fault} />;
}
