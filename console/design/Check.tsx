import type { ReactNode } from 'react'
import { Checkbox } from 'react-aria-components/Checkbox'
import styles from './Check.module.css'

interface CheckProps {
  isSelected: boolean
  onChange: (isSelected: boolean) => void
  isDisabled?: boolean
  children: ReactNode
}

/** Something that is so or not, with its words. */
export const Check = ({ children, ...props }: CheckProps) => (
  <Checkbox {...props} className={styles.check as string}>
    <span aria-hidden="true" className={styles.box} />
    <span>{children}</span>
  </Checkbox>
)
