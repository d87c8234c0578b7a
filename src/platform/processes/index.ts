export { type Answer, answerSiblings, askSiblings } from './siblings';
export { ProcessGroup } from './process-group';
export { sayServing } from './seat';
