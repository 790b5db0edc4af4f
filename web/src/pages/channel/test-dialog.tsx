import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import type { Channel } from '@tollgate/contracts/api/channel';
import type { MouseEvent } from 'react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describeError } from '../../api/api-error.js';
import { CheckBox } from '../../components/forms/check-box.js';
import { DeniableButton } from '../../components/feedback/deniable-button.js';
import { Field } from '../../components/forms/field.js';
import { splitNames } from './channel-facts.js';

interface TestDialogProps {
  channel: Channel;
  /** Tests a model and resolves to the response time in seconds; rejects with the error. */
  ask: (channel: Channel, model: string) => Promise<number>;
  onClose: () => void;
}

type Result = { state: 'running' } | { state: 'ok'; seconds: number } | { state: 'failed'; error: unknown };

function ResultText({ result }: { result: Result | undefined }) {
  const { t } = useTranslation('channel');
  if (!result) return null;
  if (result.state === 'running') return <Box sx={{ color: 'info.main' }}>{t('test.running')}</Box>;
  if (result.state === 'ok')
    return <Box sx={{ color: 'success.main' }}>{t('seconds', { time: result.seconds.toFixed(2) })}</Box>;
  return <Box sx={{ color: 'error.main', overflowWrap: 'anywhere' }}>{describeError(result.error)}</Box>;
}

/** Runs the tests one after the other until all are done or they are stopped. */
function useRuns({ channel, ask }: TestDialogProps) {
  const [results, setResults] = useState<Record<string, Result>>({});
  const [running, setRunning] = useState(false);
  const stopped = useRef(false);
  // Tests cost money, so no further test starts after the dialog is closed.
  useEffect(() => () => void (stopped.current = true), []);
  const run = async (models: string[]) => {
    stopped.current = false;
    setRunning(true);
    for (const model of models) {
      if (stopped.current) break;
      const set = (result: Result) => setResults((now) => ({ ...now, [model]: result }));
      set({ state: 'running' });
      await ask(channel, model).then(
        (seconds) => set({ state: 'ok', seconds }),
        (error: unknown) => set({ state: 'failed', error }),
      );
    }
    setRunning(false);
  };
  return { results, running, run, stop: () => void (stopped.current = true) };
}

const line = {
  ...{ display: 'flex', gap: 1, alignItems: 'center', minHeight: 32 },
  ...{ borderBottom: 1, borderColor: 'border.subtle' },
};

/** The two buttons that start and stop have one width, so that "Close" does not move below the pointer. */
const startOrStop = { minWidth: 184 } as const;

/** Ignores the second click of a double click, which was meant for the button that was there before. */
const onFirstClick = (run: () => void) => (event: MouseEvent) => {
  if (event.detail !== 2) run();
};

interface ModelLineProps {
  model: string;
  picked: boolean;
  onToggle: () => void;
  runs: ReturnType<typeof useRuns>;
}

/** A model, the result of its test, and the button that tests it alone. */
function ModelLine({ model, picked, onToggle, runs: { results, running, run } }: ModelLineProps) {
  const { t } = useTranslation('channel');
  return (
    <Box component="li" sx={line}>
      <CheckBox checked={picked} onToggle={onToggle} label={model} />
      <Box component="span" sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere', typography: 'mono' }}>
        {model}
      </Box>
      <Box sx={{ maxWidth: '50%', typography: 'caption' }} role="status">
        <ResultText result={results[model]} />
      </Box>
      <DeniableButton size="small" denied={running ? t('test.busy') : undefined} onClick={() => void run([model])}>
        {t('test.one')}
      </DeniableButton>
    </Box>
  );
}

/** Starts the tests of the picked models, or stops those that run. */
function StartOrStop({ picked, runs: { running, run, stop } }: Pick<ModelLineProps, 'runs'> & { picked: string[] }) {
  const { t } = useTranslation('channel');
  if (running)
    return (
      <Button color="error" onClick={onFirstClick(stop)} sx={startOrStop}>
        {t('test.stop')}
      </Button>
    );
  return (
    <DeniableButton
      variant="contained"
      denied={picked.length === 0 ? t('test.none') : undefined}
      onClick={() => void run(picked)}
      sx={startOrStop}
    >
      {t('test.selected', { count: picked.length })}
    </DeniableButton>
  );
}

/** Tests which models of a channel answer. */
export function TestDialog(props: TestDialogProps) {
  const { t } = useTranslation('channel');
  const { channel, onClose } = props;
  const [word, setWord] = useState('');
  const [picked, setPicked] = useState<string[]>([]);
  const runs = useRuns(props);
  const models = splitNames(channel.models).filter((name) => name.toLowerCase().includes(word.toLowerCase()));
  const toggle = (model: string) =>
    setPicked((now) => (now.includes(model) ? now.filter((name) => name !== model) : [...now, model]));
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-labelledby="test-title">
      <DialogTitle id="test-title" variant="h6">
        {t('test.of', { name: channel.name })}
      </DialogTitle>
      <DialogContent>
        <Box sx={{ pt: 1 }}>
          <Field label={t('test.search')} value={word} onChange={(event) => setWord(event.target.value)} autoFocus />
        </Box>
        <Typography variant="caption" role="status" sx={{ color: 'text.tertiary', display: 'block', my: 1 }}>
          {t('test.found', { count: models.length })}
        </Typography>
        <Box
          component="ul"
          sx={{ listStyle: 'none', m: 0, p: 0, maxHeight: '45dvh', overflowY: 'auto' }}
          tabIndex={0}
          aria-label={t('test.title')}
        >
          {models.map((model) => (
            <ModelLine
              key={model}
              model={model}
              picked={picked.includes(model)}
              onToggle={() => toggle(model)}
              runs={runs}
            />
          ))}
        </Box>
      </DialogContent>
      <DialogActions>
        <Button onClick={onFirstClick(onClose)}>{t('action.close')}</Button>
        <StartOrStop picked={picked} runs={runs} />
      </DialogActions>
    </Dialog>
  );
}
