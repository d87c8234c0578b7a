import { Matches } from 'class-validator';

export const TIME_ZONE_RULE = 'must be the IANA name of a time zone';

/** Looks like the name of a time zone. Postgres knows which ones there are: `knowsTimeZone`. */
export const IsTimeZone = (): PropertyDecorator =>
  Matches(/^[A-Za-z][\w+/-]{0,50}$/, { message: TIME_ZONE_RULE });
