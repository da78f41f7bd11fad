import type { MouseEvent } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button'
import styles from './Button.module.css'

type Kind = 'primary' | 'secondary' | 'quiet' | 'danger'

interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style'> {
  /** One primary button a page at most. */
  kind?: Kind
  small?: boolean
  /** The action is under way: the button keeps its size and its focus, and takes no second press. */
  busy?: boolean
}

/**
 * The component library's own pending state announces the button through an element that refers to it, also after the
 * button is gone, which axe-core rejects. The pages announce results themselves.
 */
export const Button = ({ kind = 'secondary', small = false, busy = false, ...props }: ButtonProps) => (
  <AriaButton
    {...props}
    onClickCapture={onlyFirst}
    {...(busy && { 'aria-disabled': true, type: 'button', onPress: ignore })}
    className={`${styles.button} ${styles[kind]} ${small ? styles.small : ''} ${busy ? styles.busy : ''}`}
  />
)

const ignore = () => {}

/** The second click of a double click comes before a page can show that the first began something. */
function onlyFirst(event: MouseEvent): void {
  if (event.detail < 2) return
  event.preventDefault()
  event.stopPropagation()
}
