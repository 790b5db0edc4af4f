import Button from '@mui/material/Button';
import CheckIcon from '@mui/icons-material/Check';

interface SwitchButtonProps {
  on: boolean;
  onChange: (on: boolean) => void;
  label: string;
}

/** A button that switches a state at once and shows which state it is in. */
export function SwitchButton({ on, onChange, label }: SwitchButtonProps) {
  return (
    <Button
      role="switch"
      aria-checked={on}
      color={on ? 'primary' : 'inherit'}
      variant={on ? 'outlined' : 'text'}
      startIcon={on ? <CheckIcon /> : undefined}
      onClick={() => onChange(!on)}
      sx={{ fontWeight: 400, bgcolor: on ? 'primary.soft' : undefined }}
    >
      {label}
    </Button>
  );
}
