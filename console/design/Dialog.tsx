import type { ReactNode } from 'react'
import { Dialog as AriaDialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import styles from './Dialog.module.css'

interface DialogProps {
  title: string
  isOpen: boolean
  /** Absent if the dialog can only be answered. */
  onClose?: () => void
  wide?: boolean
  children: ReactNode
}

export const Dialog = ({ title, isOpen, onClose, wide = false, children }: DialogProps) => (
  <ModalOverlay
    className={styles.overlay as string}
    isOpen={isOpen}
    isDismissable={onClose !== undefined}
    isKeyboardDismissDisabled={onClose === undefined}
    onOpenChange={(open) => {
      if (!open) onClose?.()
    }}
  >
    <Modal className={`${styles.modal} ${wide ? styles.wide : ''}`}>
      <AriaDialog className={styles.dialog as string}>
        <Heading slot="title" level={2}>
          {title}
        </Heading>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
)

/** The buttons at the end of a dialog. */
export const DialogButtons = ({ children }: { children: ReactNode }) => <div className={styles.buttons}>{children}</div>
