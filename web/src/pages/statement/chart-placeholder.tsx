import { Placeholder } from '../../components/feedback/busy.js';

/** As high as the chart that replaces it, so that the rows below do not move. */
export const ChartPlaceholder = () => <Placeholder data-waiting="chart" sx={{ height: { xs: 302, sm: 342 }, mb: 2 }} />;
