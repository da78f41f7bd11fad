import { Button } from 'react-aria-components/Button'
import { Icon } from '../../design/Icon.tsx'
import { showPalette } from './open.ts'
import styles from './PaletteButton.module.css'

const keys = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'

/** Opens the command palette, for those who do not know its keys. */
export const PaletteButton = () => (
  <Button className={styles.button as string} onPress={() => showPalette(true)}>
    <Icon name="search" />
    <span className={styles.word}>Search</span>
    <kbd className={styles.keys}>{keys}</kbd>
  </Button>
)
