import type { ApiClient, Line, Schema, SponsorWord } from '../../../libs/client';
import type { Language } from '../kit/language';
import type { Session } from '../kit/session';
import type { Words } from './words';

/** The state that the parts of both pages share. */
export interface Visit {
  readonly api: ApiClient;
  readonly line: Line;
  readonly session: Session;
  readonly words: Words;
  readonly language: Language;
}

export interface Sent {
  readonly activity: Schema<'ActivityDto'>;
  readonly audience: Schema<'AudienceDto'>;
  /** Absent if the server alone drew. */
  readonly word?: SponsorWord | null;
  /** False if the server has published other terms. */
  readonly isWordInTerms?: boolean;
}
