const KEY = 'draft';
/** After a login a page may be rendered more than once before it settles. It has settled after this time, or at the user's first action. */
const SETTLE_MS = 5000;
const USER_EVENTS = ['pointerdown', 'keydown'] as const;
/** Drafts that were restored but not deleted yet, each with the function that cancels its deletion. */
const pendingDeletions = new Map<string, () => void>();

interface Drafts {
  user: number;
  /** When they were stored last, in Unix milliseconds; missing in drafts of an earlier version of the console. */
  at?: number;
  /** Form → what the user typed into it. */
  forms: Record<string, unknown>;
}

function readDrafts(): Drafts | undefined {
  try {
    const drafts = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Partial<Drafts> | null;
    const isValid = typeof drafts?.user === 'number' && typeof drafts.forms === 'object' && drafts.forms !== null;
    return isValid ? (drafts as Drafts) : undefined;
  } catch {
    return undefined;
  }
}

function writeDrafts(drafts: Drafts): void {
  try {
    if (Object.keys(drafts.forms).length === 0) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(drafts));
  } catch {
    // Without session storage the text is lost, as it is when the tab is closed.
  }
}

export function storeDraft(user: number, form: string, value: unknown): void {
  pendingDeletions.get(form)?.();
  const stored = readDrafts();
  writeDrafts({ user, at: Date.now(), forms: { ...(stored?.user === user ? stored.forms : {}), [form]: value } });
}

export function forgetDraft(form: string): void {
  pendingDeletions.get(form)?.();
  const drafts = readDrafts();
  if (!drafts) return;
  const { [form]: _, ...forms } = drafts.forms;
  writeDrafts({ ...drafts, forms });
}

/** Deletes the draft once the page has settled, unless it is stored again before. */
function forgetOnceSettled(form: string): void {
  pendingDeletions.get(form)?.();
  const forget = () => forgetDraft(form);
  const timer = setTimeout(forget, SETTLE_MS);
  for (const event of USER_EVENTS) window.addEventListener(event, forget, true);
  pendingDeletions.set(form, () => {
    clearTimeout(timer);
    for (const event of USER_EVENTS) window.removeEventListener(event, forget, true);
    pendingDeletions.delete(form);
  });
}

/** Restores what this user typed into this form. The draft is deleted soon afterwards. */
export function takeDraft(user: number, form: string): unknown {
  const drafts = readDrafts();
  if (drafts?.user !== user || !Object.hasOwn(drafts.forms, form)) return undefined;
  forgetOnceSettled(form);
  return drafts.forms[form];
}

function deleteAll(drafts: Drafts): void {
  for (const form of Object.keys(drafts.forms)) pendingDeletions.get(form)?.();
  writeDrafts({ ...drafts, forms: {} });
}

/** Deletes the drafts when their user's session ends; `user`: keeps the drafts of this user, who is signed in now. */
export function forgetDrafts(user?: number): void {
  const drafts = readDrafts();
  if (drafts && drafts.user !== user) deleteAll(drafts);
}

/** Deletes the drafts if they were stored before this moment, in Unix milliseconds. */
export function forgetDraftsBefore(moment: number): void {
  const drafts = readDrafts();
  if (drafts && (drafts.at ?? 0) <= moment) deleteAll(drafts);
}
