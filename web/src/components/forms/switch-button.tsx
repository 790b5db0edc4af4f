import Button from '@mui/material/Button';
import CheckIcon from '@mui/icons-material/Check';

interface SwitchButtonProps {
  on: boolean;
  onChange: (on: boolean) => void;
  label: string;
}

/** A state that is switched at once, as a button that says which it is. */
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
