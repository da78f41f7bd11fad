import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { Menu as AriaMenu, MenuItem, MenuTrigger } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import styles from './Menu.module.css'

interface MenuProps {
  /** What the button says to a screen reader. */
  label: string
  button: ReactNode
  items: readonly { id: string; text: ReactNode; name: string; onAction: () => void; isChosen?: boolean }[]
}

export const Menu = ({ label, button, items }: MenuProps) => (
  <MenuTrigger>
    <Button aria-label={label} className={styles.button as string}>
      {button}
    </Button>
    <Popover className={styles.popover as string} placement="bottom start">
      <AriaMenu className={styles.list as string} aria-label={label}>
        {items.map(({ id, text, name, onAction, isChosen = false }) => (
          <MenuItem key={id} id={id} textValue={name} onAction={onAction} className={styles.item as string}>
            <span className="stranger">{text}</span>
            {isChosen && <span aria-label="current"> ✓</span>}
          </MenuItem>
        ))}
      </AriaMenu>
    </Popover>
  </MenuTrigger>
)
