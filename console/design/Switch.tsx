import type { ReactNode } from 'react'
import { ToggleButton } from 'react-aria-components/ToggleButton'
import styles from './Switch.module.css'

interface SwitchProps {
  isOn: boolean
  onChange: (isOn: boolean) => void
  children: ReactNode
}

/** A button that stays pressed while something is shown in another way. */
export const Switch = ({ isOn, onChange, children }: SwitchProps) => (
  <ToggleButton isSelected={isOn} onChange={onChange} className={styles.switch as string}>
    {children}
  </ToggleButton>
)
