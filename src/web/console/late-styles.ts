import plots from 'uplot/dist/uPlot.min.css';
import kiosk from './views/wall/kiosk.css';

/** The styles of plots and of the kiosk come with the desk: the first screen has neither. */
const sheet = new CSSStyleSheet();
sheet.replaceSync(plots + kiosk);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
