import uPlot from 'uplot/dist/uPlot.min.css' with { type: 'text' };
import plot from './ui/plot.css' with { type: 'text' };
import kiosk from './views/wall/kiosk.css' with { type: 'text' };
import wall from './views/wall/wall.css' with { type: 'text' };

/** The styles of plots and of the wall come with the desk: the first screen has neither. */
const sheet = new CSSStyleSheet();
sheet.replaceSync(uPlot + plot + wall + kiosk);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
