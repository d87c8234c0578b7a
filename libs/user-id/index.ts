export {
  isPersonId,
  isPseudonym,
  isUserId,
  PERSON_ID_PATTERN,
  USER_ID_PATTERN,
  USER_ID_RULE,
} from './user-id';
