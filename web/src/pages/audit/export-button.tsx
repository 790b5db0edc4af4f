import DownloadIcon from '@mui/icons-material/FileDownloadOutlined';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';

export function ExportButton({ onClick }: { onClick: () => void }) {
  const { t } = useTranslation('audit');
  return (
    <Button startIcon={<DownloadIcon />} onClick={onClick}>
      {t('export.action')}
    </Button>
  );
}
