import uPlot from 'uplot/dist/uPlot.min.css';
import plot from './ui/plot.css';
import kiosk from './views/wall/kiosk.css';
import wall from './views/wall/wall.css';

/** The styles of plots and of the wall come with the desk: the first screen has neither. */
const sheet = new CSSStyleSheet();
sheet.replaceSync(uPlot + plot + wall + kiosk);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
