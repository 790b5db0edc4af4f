/** No dictionary could be loaded, so the message is in both languages. */
function sayNotStarted(root: HTMLElement, reload: () => void): void {
  const line = document.createElement('p');
  line.setAttribute('role', 'alert');
  const chinese = document.createElement('span');
  chinese.lang = 'zh-CN';
  // eslint-disable-next-line no-restricted-syntax -- no dictionary came
  chinese.textContent = '控制台没有加载，请检查网络后重新加载。';
  const english = document.createElement('span');
  english.lang = 'en';
  english.textContent = ' The console did not load. Check the network and reload. ';
  const button = document.createElement('button');
  button.type = 'button';
  // eslint-disable-next-line no-restricted-syntax -- no dictionary came
  button.textContent = '重新加载 / Reload';
  button.addEventListener('click', reload);
  line.append(chinese, english, button);
  root.replaceChildren(line);
}

/** Loads the shell's texts and returns whether that succeeded. Otherwise the page shows a message instead of staying blank. */
export async function haveTexts(
  root: HTMLElement,
  start: () => Promise<void>,
  reload = () => window.location.reload(),
): Promise<boolean> {
  try {
    await start();
    return true;
  } catch (error) {
    console.error(error);
    sayNotStarted(root, reload);
    return false;
  }
}
