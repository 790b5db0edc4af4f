import { Suspense, useEffect } from 'react';
import { loadTexts } from '../../app/i18n/index.js';
import { layerShown, selectLayer } from '../../app/slices/layer.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { lazyPart } from '../../components/basics/lazy-part.js';

/** The component and its texts are loaded in parallel. */
const withTexts = async <Part,>(part: Promise<Part>): Promise<Part> =>
  (await Promise.all([part, loadTexts('command')]))[0];

const CommandPalette = lazyPart(async () => (await withTexts(import('./command-palette.js'))).CommandPalette);
const ShortcutsDialog = lazyPart(async () => (await withTexts(import('./shortcuts-dialog.js'))).ShortcutsDialog);

/** Elements in which a letter key types text; checkboxes, buttons and sliders are inputs, too, but not among them. */
const FIELDS = `input:not(:is(${['checkbox', 'radio', 'button', 'submit', 'reset', 'range', 'file', 'color']
  .map((type) => `[type="${type}"]`)
  .join()})), textarea, select, [contenteditable]:not([contenteditable="false"]), [role="textbox"]`;
const isTyping = (target: EventTarget | null): boolean => target instanceof Element && target.closest(FIELDS) !== null;

/** Ctrl+K or ⌘K opens the palette, `?` the list of shortcuts; both are loaded when first used. */
export function CommandLayer({ signedIn }: { signedIn: boolean }) {
  const layer = useAppSelector(selectLayer);
  const dispatch = useAppDispatch();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isPalette = signedIn && event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
      const isHelp = event.key === '?' && !isTyping(event.target);
      if (!isPalette && !isHelp) return;
      event.preventDefault();
      dispatch(layerShown(isPalette ? 'palette' : 'shortcuts'));
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [dispatch, signedIn]);
  if (layer === undefined) return null;
  const close = () => void dispatch(layerShown(undefined));
  return (
    <Suspense fallback={null}>
      {layer === 'palette' ? <CommandPalette onClose={close} /> : <ShortcutsDialog onClose={close} />}
    </Suspense>
  );
}
