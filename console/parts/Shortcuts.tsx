import { useNavigate } from '@tanstack/react-router'
import { to } from '../addresses.ts'
import { placesOf } from '../places.ts'
import { Button } from '../design/Button.tsx'
import { Dialog, DialogButtons } from '../design/Dialog.tsx'
import { showShortcutList, switchShortcuts, useShortcutList, useShortcutSetting } from './shortcut-setting.ts'
import styles from './Shortcuts.module.css'
import type { Shortcut } from './shortcuts.ts'
import { shortcutsOfPage, useKeyboard } from './useShortcuts.ts'

/** The keys that work on every page, and the dialog that lists them together with those of the page. */
export const Shortcuts = ({ owner }: { owner: string }) => {
  const navigate = useNavigate()
  const everywhere: Shortcut[] = [
    ...placesOf(owner).map(({ name, keys, link }) => ({ keys, does: `Go to ${name}`, run: () => void navigate(link) })),
    { keys: 'g t', does: 'Start from a template', run: () => void navigate(to.start(owner)) },
    { keys: '?', does: 'Show the shortcuts', run: () => showShortcutList(true) },
  ]
  useKeyboard(everywhere)
  const close = () => showShortcutList(false)
  return (
    <Dialog title="Keyboard shortcuts" isOpen={useShortcutList()} onClose={close}>
      <Lists everywhere={everywhere} />
      <Setting />
      <DialogButtons>
        <Button onPress={close}>Close</Button>
      </DialogButtons>
    </Dialog>
  )
}

const Lists = ({ everywhere }: { everywhere: readonly Shortcut[] }) => {
  const ofPage = shortcutsOfPage()
  return (
    <>
      {ofPage.length > 0 && <List title="On this page" shortcuts={ofPage} />}
      <List title="Everywhere" shortcuts={[...everywhere, palette]} />
    </>
  )
}

/** Its keys are those of the browser's own commands, so they work also while somebody types. */
const palette: Shortcut = { keys: 'Ctrl K', does: 'Open the command palette', run: () => {} }

const List = ({ title, shortcuts }: { title: string; shortcuts: readonly Shortcut[] }) => (
  <section className={styles.list}>
    <h3>{title}</h3>
    <dl>
      {shortcuts.map(({ keys, does }) => (
        <div key={keys}>
          <dt>
            {keys.split(' ').map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  </section>
)

const Setting = () => (
  <label className={styles.setting}>
    <input
      type="checkbox"
      checked={useShortcutSetting() === 'on'}
      onChange={({ target }) => switchShortcuts(target.checked)}
    />
    Use keyboard shortcuts in this browser
  </label>
)
