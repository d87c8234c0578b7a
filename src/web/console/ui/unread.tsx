import { words } from '../words';
import type { Words } from '../words/en';
import type { Asked } from './asking';
import { Complaint } from './outcome';
import { PartLink } from './part-link';

interface UnreadProps {
  readonly asked: Pick<Asked<unknown>, 'value' | 'fault'>;
  /** Where everything of its kind is listed. */
  readonly part: keyof Words['navigation']['parts'];
}

/** Why a page has nothing to show. If it does not exist, nothing broke: the list may have what was meant. */
export function Unread({ asked: { value, fault }, part }: UnreadProps) {
  if (!fault && value === undefined)
    return (
      <p role="status" class="skeleton">
        {words.common.loading}
      </p>
    );
  if (!fault?.isMissing) return <Complaint fault={fault} />;
  return (
    <>
      <p role="alert" class="about">
        {fault.sentence}
      </p>
      <PartLink part={part} />
    </>
  );
}
