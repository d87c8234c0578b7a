export { Erasing } from './erasing';
export { TapTraces, TapTracesAtFirstUse } from './tap-traces';
