import { FieldPlace } from '../../platform/http';

const fields = {
  /** Who may know of a new activity. */
  terms: new FieldPlace(),
  /** The part of it that everyone sees who sees the activity. */
  shownTerms: new FieldPlace(),
  /** The terms of an activity that is to be repeated. */
  repeatedTerms: new FieldPlace(),
};

type FieldName = keyof typeof fields;

/** The audience in requests and answers. */
export type AudienceDefinition = Readonly<Record<FieldName, PropertyDecorator>>;

/** Gives activities an audience, in programs that load its code. */
export function defineAudiences(definition: AudienceDefinition): void {
  for (const name of Object.keys(fields) as FieldName[]) fields[name].declare(definition[name]);
}

/** A field that audiences declare. */
export const AudienceField = (name: FieldName): PropertyDecorator => fields[name].here();
