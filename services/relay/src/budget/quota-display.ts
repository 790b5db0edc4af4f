export { quotaDisplayOf } from '@tollgate/pricing';
