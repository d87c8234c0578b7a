export { isPseudonym, isUserId, USER_ID_PATTERN, USER_ID_RULE } from './user-id';
