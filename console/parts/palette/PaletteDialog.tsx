import { useState } from 'react'
import { Autocomplete } from 'react-aria-components/Autocomplete'
import { Dialog } from 'react-aria-components/Dialog'
import { Input } from 'react-aria-components/Input'
import { Header, Menu, MenuItem, MenuSection } from 'react-aria-components/Menu'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { SearchField } from 'react-aria-components/SearchField'
import type { Owner } from '../../session/workspace.ts'
import { Icon } from '../../design/Icon.tsx'
import { shownText } from '../shown-text.ts'
import { countOfResults, matching, type Entry } from './matching.ts'
import styles from './Palette.module.css'
import { useEntries } from './useEntries.ts'
import { useFound } from './useFound.ts'

interface PaletteProps {
  owner: Owner
  onClose: () => void
}

/** Pages, things by name or id, workspaces and common actions. The field keeps the focus, and arrows move in the list. */
export const PaletteDialog = ({ owner, onClose }: PaletteProps) => {
  const [typed, type] = useState('')
  const found = useFound(typed)
  const entries = [...found.entries, ...matching(useEntries(owner), typed)]
  const act = (id: React.Key) => {
    onClose()
    entries.find((entry) => entry.id === id)?.run()
  }
  return (
    <ModalOverlay isOpen isDismissable className={styles.overlay as string} onOpenChange={onClose}>
      <Modal className={styles.modal as string}>
        <Dialog aria-label="Command palette" className={styles.dialog as string}>
          <Autocomplete inputValue={typed} onInputChange={type}>
            <SearchField aria-label="Search or go to" autoFocus className={styles.field as string}>
              <Icon name="search" />
              <Input placeholder="Search, or paste an id" className={styles.input as string} maxLength={500} />
            </SearchField>
            <div className={styles.results} tabIndex={0}>
              <Results entries={entries} onAction={act} isReading={found.isReading} />
            </div>
          </Autocomplete>
          <p role="status" className={styles.spoken}>
            {typed === '' || found.isReading ? '' : countOfResults(entries.length)}
          </p>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

interface ResultsProps {
  entries: Entry[]
  onAction: (id: React.Key) => void
  isReading: boolean
}

const Results = ({ entries, onAction, isReading }: ResultsProps) => (
  <Menu
    aria-label="Results"
    className={styles.list as string}
    onAction={onAction}
    renderEmptyState={() => <p className={styles.none}>{isReading ? 'Looking …' : nothing}</p>}
  >
    {[...Map.groupBy(entries, ({ group }) => group)].map(([group, members]) => (
      <MenuSection key={group} id={group}>
        <Header className={styles.group as string}>{group}</Header>
        {members.map(({ id, name, beside }) => (
          <MenuItem key={id} id={id} textValue={name} className={styles.item as string}>
            <span className={`${styles.name} stranger`}>{shownText(name)}</span>
            {beside !== undefined && <span className={`${styles.beside} stranger`}>{shownText(beside)}</span>}
          </MenuItem>
        ))}
      </MenuSection>
    ))}
  </Menu>
)

const nothing = 'Nothing has this name, or you have no access to it.'
