import { Placeholder } from '../../components/feedback/busy.js';

/** As high as the card of the chart that comes: the rows below it stay where they are. */
export const ChartPlaceholder = () => <Placeholder data-waiting="chart" sx={{ height: { xs: 302, sm: 342 }, mb: 2 }} />;
