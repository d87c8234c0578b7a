import { defineProblem } from '../../../libs/problem';

export const codePoolNotFound = defineProblem({
  code: 'code_pool.not_found',
  status: 404,
  title: 'Code pool not found',
});

export const codeLineInvalid = defineProblem({
  code: 'code_pool.line_invalid',
  status: 422,
  title: 'A line of the file is not a code',
});

export const codeTwice = defineProblem({
  code: 'code_pool.code_twice',
  status: 422,
  title: 'A code is in the pool twice',
});

export const tooManyCodes = defineProblem({
  code: 'code_pool.too_many_codes',
  status: 422,
  title: 'There are too many codes',
});

export const tooFewCodes = defineProblem({
  code: 'code_pool.too_few_codes',
  status: 422,
  title: 'The pool has too few free codes',
});

export const uploadUnderWay = defineProblem({
  code: 'code_pool.upload_under_way',
  status: 409,
  title: 'Codes are being uploaded to this pool',
});

export const sealKeyMissing = defineProblem({
  code: 'code_pool.seal_key_missing',
  status: 503,
  title: 'The key that seals codes is missing',
});

export const codeNotFound = defineProblem({
  code: 'code.not_found',
  status: 404,
  title: 'You have no code of this packet',
});

export const codeNotCredited = defineProblem({
  code: 'code.not_credited',
  status: 409,
  title: 'The packet is not credited',
});
