import CloseIcon from '@mui/icons-material/Close';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import { useTranslation } from 'react-i18next';
import type { Attachment } from './conversation.js';

interface AttachmentListProps {
  files: readonly Attachment[];
  onRemove?: (file: Attachment) => void;
}

const isPicture = ({ type }: Attachment): boolean => type.startsWith('image/');

function RemoveButton({ name, onClick }: { name: string; onClick: () => void }) {
  const { t } = useTranslation('playground');
  const label = t('removeFile', { name });
  return (
    <IconButton size="small" aria-label={label} title={label} onClick={onClick}>
      <CloseIcon fontSize="inherit" />
    </IconButton>
  );
}

/** Attached pictures as thumbnails, and attached sounds by name with a player. */
export function AttachmentList({ files, onRemove }: AttachmentListProps) {
  return (
    <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      {files.map((file) => (
        <Box
          component="li"
          key={file.url}
          sx={{ display: 'flex', alignItems: 'center', minWidth: 0, maxWidth: '100%' }}
        >
          {isPicture(file) ? (
            <Box
              component="img"
              src={file.url}
              alt={file.name}
              sx={{ height: onRemove ? 48 : 160, maxWidth: '100%', objectFit: 'contain', borderRadius: '4px' }}
            />
          ) : (
            <Box
              component="span"
              title={file.name}
              sx={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}
            >
              {file.name}
            </Box>
          )}
          {onRemove && <RemoveButton name={file.name} onClick={() => onRemove(file)} />}
        </Box>
      ))}
    </Box>
  );
}
