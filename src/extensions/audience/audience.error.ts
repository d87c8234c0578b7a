import { defineProblem } from '../../../libs/problem';

export const tooManyPasswords = defineProblem({
  code: 'audience.too_many_passwords',
  status: 429,
  title: 'Too many wrong passwords',
});

export const noShareCode = defineProblem({
  code: 'audience.no_share_code',
  status: 409,
  title: 'The activity has no share code',
});
