import type { ApiClient, Schema } from '../../../../../../libs/client';
import { useAnswer } from '../../../ui/asking';
import { Choice, Field, LongField } from '../../../ui/form';
import { Complaint } from '../../../ui/outcome';
import { words } from '../../../words';

type Terms = NonNullable<Schema<'CreateActivityBody'>['audience']>;
type Audience = Schema<'AudienceDto'>;

/** The input of the form about who may know of the activity. */
export interface AudienceDraft {
  readonly kind: Terms['kind'];
  readonly people: string;
  readonly password: string;
}

export const PUBLIC: AudienceDraft = { kind: 'public', people: '', password: '' };

/** Undefined for everyone, which is the default of staff. The API refuses faults. */
export function audienceOf({ kind, people, password }: AudienceDraft): Terms | undefined {
  switch (kind) {
    case 'public':
      return undefined;
    case 'link':
      return { kind };
    case 'people':
      return { kind, userIds: people.split(/[\s,，、]+/).filter((id) => id !== '') };
    case 'password':
      return { kind, password };
  }
}

/** Fills the form from the terms of an activity. */
export const audienceDraftOf = (terms: Terms = { kind: 'public' }): AudienceDraft => ({
  kind: terms.kind,
  people: terms.kind === 'people' ? terms.userIds.join('\n') : '',
  password: terms.kind === 'password' ? terms.password : '',
});

interface AudienceFieldsProps {
  readonly draft: AudienceDraft;
  readonly onDraft: (draft: AudienceDraft) => void;
}

export function AudienceFields({ draft, onDraft }: AudienceFieldsProps) {
  const change = (part: Partial<AudienceDraft>) => onDraft({ ...draft, ...part });
  const said = words.audience;
  return (
    <>
      <Choice
        label={words.labels.audience}
        value={draft.kind}
        options={said.kinds}
        onValue={(kind) => change({ kind: kind as AudienceDraft['kind'] })}
      />
      {draft.kind === 'people' && (
        <LongField
          label={words.labels['audience.userIds']}
          value={draft.people}
          hint={said.peopleHint}
          onValue={(people) => change({ people })}
        />
      )}
      {draft.kind === 'password' && (
        <Field
          label={words.labels['audience.password']}
          value={draft.password}
          hint={said.passwordHint}
          onValue={(password) => change({ password })}
        />
      )}
    </>
  );
}

interface WhomProps {
  readonly api: ApiClient;
  readonly id: string;
}

/** Whom an activity is for, with the names and the password that only the sponsor and staff may know. */
export function Whom({ api, id }: WhomProps) {
  const { value, fault } = useAnswer((options) => api.readActivityAudience(id, options), [api, id]);
  return value ? <>{audienceText(value)}</> : <Complaint fault={fault} />;
}

export function audienceText({ kind, userIds, password }: Audience): string {
  const said = words.audience;
  if (userIds) return said.people(userIds.join(', '));
  return password === undefined ? said.kinds[kind] : said.password(password);
}
