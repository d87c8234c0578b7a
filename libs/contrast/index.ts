export { contrast, CONTRAST_MIN, isColor } from './contrast';
