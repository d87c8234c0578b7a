import { defineProblem } from '../../../libs/problem';

export const logEmpty = defineProblem({
  code: 'log.empty',
  status: 404,
  title: 'The log of claims is empty',
});

export const claimNotLogged = defineProblem({
  code: 'log.no_such_claim',
  status: 404,
  title: 'Your claim is not in the log',
});

export const notCosigned = defineProblem({
  code: 'log.not_cosigned',
  status: 404,
  title: 'Not enough witnesses have signed a checkpoint',
});

export const unknownWitness = defineProblem({
  code: 'log.unknown_witness',
  status: 403,
  title: 'This log does not know the witness',
});

export const noSuchCheckpoint = defineProblem({
  code: 'log.no_such_checkpoint',
  status: 404,
  title: 'The log has no such checkpoint',
});

export const cosignatureInvalid = defineProblem({
  code: 'log.cosignature_invalid',
  status: 422,
  title: 'The cosignature is not valid',
});

export const checkpointOld = defineProblem({
  code: 'log.checkpoint_old',
  status: 409,
  title: 'The checkpoint is too old to be signed',
});
